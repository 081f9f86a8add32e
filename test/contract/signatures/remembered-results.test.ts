import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { repositoryVerifier } from "../../../src/daemon/wire-verification.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { Repository, RepositorySpec } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { VerifiedHead } from "../../../src/review/verify-source.ts";
import { findVerified } from "../../../src/review/verify-source.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { ed25519Signer } from "../../unit/signatures/signature-builders.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const namespace = "default";
const keys = { type: resourceTypes.secret, namespace, name: "signers" };

describe("A31 a head that is not verified", () => {
  const signer = ed25519Signer();
  const stranger = ed25519Signer();
  let hub: HubUnderTest;
  let hubApi: KubeApi;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let git: GitEngine;
  let reads = 0;
  let base: string;
  let head: string;
  let verifierOf: ReturnType<typeof repositoryVerifier>;

  beforeAll(async () => {
    hub = await embeddedHub();
    hubApi = apiOf(readKubeconfig(hub.kubeconfig));
    folder = await makeTempFolder();
    repository = await createRepository(`${folder.path}/fleet.git`);
    const engine = await openLocalEngine(repository.path, `${repository.path}.cache`);
    git = {
      ...engine,
      readSignature: (id) => {
        reads += 1;
        return engine.readSignature(id);
      },
    };
    base = await repository.commit({ files: { "a.yaml": "a: 1" } });
    for (let index = 0; index < 10; index++) await repository.commit({ files: { [`n${index}.txt`]: "x" } });
    head = await git.commitAndPush({
      branch: "main",
      parent: await repository.head(),
      changes: new Map([["signed/a.yaml", "a: 1"]]),
      message: "Signed\n",
      author: { name: "Alice", email: "alice@example.org" },
      committedAtMs: Date.now(),
      sign: async (payload) => signer.sign({ payload: Buffer.from(payload) }).armoured,
    });
    await git.fetchHead("main");
  });
  afterAll(async () => {
    await git.close();
    await hubApi.close();
    await hub.stop();
    await folder.remove();
  });
  beforeEach(async () => {
    reads = 0;
    verifierOf = repositoryVerifier({ hubApi, git, log: silentLog });
    await hubApi.delete(keys).catch(() => undefined);
    await list(stranger.line);
  });

  const list = async (line: string): Promise<void> => {
    const live = await hubApi.get(keys);
    const stringData = { team: line };
    if (live) await hubApi.mergePatch(keys, { stringData }, { fieldManager: "test" });
    else
      await hubApi.create(
        { apiVersion: "v1", kind: "Secret", metadata: { name: keys.name, namespace }, stringData },
        { fieldManager: "test" },
      );
  };
  /** One read of the head by the daemon; resolves also with how many signatures it read. */
  const look = async (verify: Partial<RepositorySpec["verify"]> = {}): Promise<VerifiedHead & { reads: number }> => {
    const before = reads;
    const asking: Repository = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { name: "fleet", namespace },
      spec: { url: repository.path, verify: { keysSecretRef: { name: keys.name }, paths: ["signed/"], ...verify } },
    };
    const verifier = await verifierOf(asking);
    if (!verifier) throw new Error("the Repository asks for signatures");
    const found = await findVerified(git, { base, head }, verifier.verify);
    return { ...found, reads: reads - before };
  };

  it("is verified once, and not again in each run", async () => {
    const first = await look();
    expect(first.refusal?.code).toBe("E_UNVERIFIED");
    expect(first.reads).toBeGreaterThan(0);
    const second = await look();
    expect(second).toEqual({ ...first, reads: 0 });
  });

  it("is verified again when the listed keys change", async () => {
    expect((await look()).commit).not.toBe(head);
    await list(signer.line);
    const after = await look();
    expect(after).toMatchObject({ commit: head });
    expect(after.refusal).toBeUndefined();
    expect(after.reads).toBeGreaterThan(0);
  });

  it("is verified again when other paths are protected", async () => {
    expect((await look()).refusal).toBeDefined();
    expect((await look({ paths: ["other/"] })).commit).toBe(head);
  });

  it("A149 approves no removals again by a copy of a signed commit whose signature has another form", async () => {
    await list(signer.line);
    const raw = await repository.git("cat-file", "commit", head);
    const forms = [
      raw.replace("\n\n", "\ngpgsig-sha256 other\n\n"),
      raw.replace(/(gpgsig (?:.|\n )*\n)/u, "$1gpgsig x\n"),
    ];
    const spec = { url: repository.path, verify: { keysSecretRef: { name: keys.name } } };
    const metadata = { name: "fleet", namespace };
    const verifier = await verifierOf({ apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata, spec });
    for (const form of forms) {
      const copy = (await repository.gitWithInput(form, "hash-object", "-w", "-t", "commit", "--stdin")).trim();
      expect(copy).not.toBe(head);
      expect(await verifier?.isSigned(copy, copy)).toBe(true);
      const merge = await repository.commit({ branch: "copies", from: head, merge: [copy], files: {} });
      expect(await verifier?.isSigned(copy, merge)).toBe(false);
      expect(await verifier?.isSigned(head, head)).toBe(true);
    }
  });
});
