import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Repository, RepositorySpec, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { ed25519Signer } from "../../unit/signatures/signature-builders.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const cluster = (name: string): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name }, spec: {} });
const bad = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: bad}\nspec: {displayNmae: x}\n";

describe("A31 status.verifiedCommit", () => {
  const signer = ed25519Signer();
  const verify = { keysSecretRef: { name: "signers" }, paths: ["signed/"] };
  let session: DaemonSession;
  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    await session.api.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "signers", namespace: session.namespace },
        stringData: { team: signer.line },
      },
      { fieldManager: "test" },
    );
    await session.repository.commit({ files: { "a.yaml": cluster("a") } });
    await session.startDaemon({ spec: { verify } });
  });
  afterAll(() => session.close());

  const ref = () => ({ type: resourceTypes.repository, namespace: session.namespace, name: "fleet" });
  const untilStatus = async (isWanted: (status: RepositoryStatus) => boolean): Promise<RepositoryStatus> => {
    const read = async () => ((await session.api.get(ref())) as Repository | undefined)?.status;
    const found = await until(read, (status) => status !== undefined && isWanted(status));
    return found ?? {};
  };
  const commitSigned = async (path: string): Promise<string | undefined> => {
    const git = await openLocalEngine(session.repository.path, `${session.repository.path}.signer`);
    const parent = await session.repository.head();
    await git.commitAndPush({
      branch: "main",
      parent,
      changes: new Map([[path, cluster(path.replace(/^.*\/|\.yaml$/gu, ""))]]),
      message: "Vouch for it\n",
      author: { name: "Alice", email: "alice@example.org" },
      committedAtMs: Date.now(),
      sign: async (payload) => signer.sign({ payload: Buffer.from(payload) }).armoured,
    });
    await git.close();
    return session.repository.head();
  };

  it("is the head when no protected file lacks a signature", async () => {
    await session.settle();
    const head = await session.repository.head();
    expect(await untilStatus(({ verifiedCommit }) => verifiedCommit === head)).toMatchObject({ appliedCommit: head });
  });

  it("moves past a bad file, which keeps appliedCommit where it is", async () => {
    const before = await session.repository.head();
    await session.repository.commit({ files: { "bad.yaml": bad } });
    await session.settle();
    const head = await session.repository.head();
    expect(await untilStatus(({ verifiedCommit }) => verifiedCommit === head)).toMatchObject({ appliedCommit: before });
    await session.repository.commit({ files: { "bad.yaml": null } });
    expect(await session.settle()).toMatchObject({ isApplied: true });
  });

  it("stays at the newest commit that keys vouch for when the head is not verified", async () => {
    const good = await session.repository.commit({ files: { "b.yaml": cluster("b") } });
    await session.repository.commit({ files: { "signed/x.yaml": cluster("x") } });
    session.enqueue();
    const isRefused = ({ conditions = [] }: RepositoryStatus): boolean =>
      conditions.some(({ type, reason }) => type === "Verified" && reason === "UnverifiedCommit");
    expect(await untilStatus(isRefused)).toMatchObject({ verifiedCommit: good, appliedCommit: good });
    expect(await session.get(resourceTypes.cluster, "x")).toBeUndefined();
  });

  it("is a warning for the first run that sees the commit, and not for each one after it", async () => {
    await session.lookAgain();
    const lines = session.log.lines.filter((line) => line.includes("a commit is not verified"));
    expect([lines.length > 1, lines.filter((line) => line.startsWith("warn"))]).toEqual([true, [lines[0]]]);
  });

  it("moves to a signed commit on top", async () => {
    const head = await commitSigned("signed/y.yaml");
    expect(await session.settle()).toMatchObject({ isApplied: true });
    await untilStatus(({ verifiedCommit }) => verifiedCommit === head);
  });

  it("is not there without spec.verify", async () => {
    const spec: Partial<Record<keyof RepositorySpec, null>> = { verify: null };
    await session.api.mergePatch(ref(), { spec }, { fieldManager: "kubectl" });
    session.enqueue();
    expect((await untilStatus(({ verifiedCommit }) => verifiedCommit === undefined)).appliedCommit).toBe(
      await session.repository.head(),
    );
  });
});
