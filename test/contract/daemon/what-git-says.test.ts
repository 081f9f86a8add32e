import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { encryptSops } from "../../../src/secrets/encrypt-sops.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { realRandom } from "../../support/real-time.ts";
import { until } from "../../support/until.ts";
import { ed25519Signer } from "../../unit/signatures/signature-builders.ts";
import { askToJoin } from "./ask-to-join.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const { cluster, secret } = resourceTypes;

describe("the content of git, at the daemon", () => {
  let session: DaemonSession;
  let recipient: string;
  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    const identity = await generateX25519Identity();
    recipient = await identityToRecipient(identity);
    await session.api.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "age", namespace: session.namespace },
        stringData: { "fleet.agekey": `# made for a test\n${identity}\n` },
      },
      { fieldManager: "test" },
    );
    await session.repository.commit({
      files: { "policy.yaml": policy, "a.yaml": clusterFile("a", { env: "prod" }) },
      message: "Start\n",
    });
    await session.startDaemon({ spec: { decryption: { ageKeySecretRef: { name: "age" } } } });
  });
  afterAll(async () => {
    await session.close();
  });

  it("is applied where it keeps the house's rules; what breaks one is reported, and stays as it was", async () => {
    expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
    await session.repository.commit({
      files: { "a.yaml": clusterFile("a"), "b.yaml": clusterFile("b"), "c.yaml": clusterFile("c", { env: "dev" }) },
    });
    expect(await session.settle()).toMatchObject({ isApplied: false, errorCount: 2, withheldCount: 0 });
    expect((await session.get(cluster, "a"))?.metadata.labels).toMatchObject({ env: "prod" });
    expect(await session.get(cluster, "b")).toBeUndefined();
    expect(await session.get(cluster, "c")).toBeDefined();
    await session.repository.commit({ files: { "policy.yaml": null, "b.yaml": null } });
    expect(await session.settle()).toMatchObject({ isApplied: true });
  });

  it("may be an encrypted Secret: it is created, reverted, and pruned with its file; its values are nowhere else", async () => {
    const value = `kubeconfig-${session.workspace}`;
    const strange = await identityToRecipient(await generateX25519Identity());
    await session.repository.commit({
      files: {
        "secrets/a.yaml": await secretFile("a-kubeconfig", value, recipient),
        "secrets/b.yaml": await secretFile("b-kubeconfig", value, strange),
        "c.yaml": clusterFile("c", { env: "test" }),
      },
    });
    expect(await session.settle()).toMatchObject({ isApplied: false, errorCount: 1 });
    const live = await session.get(secret, "a-kubeconfig");
    expect(live).toMatchObject({ type: "Opaque", data: { value: Buffer.from(value).toString("base64") } });
    expect(await session.get(secret, "b-kubeconfig")).toBeUndefined();
    expect((await session.get(cluster, "c"))?.metadata.labels).toMatchObject({ env: "test" });

    const ref = { type: secret, namespace: session.workspace, name: "a-kubeconfig" };
    await session.api.mergePatch(ref, { data: { value: "eA==" } }, { fieldManager: "kubectl" });
    await until(
      () => session.get(secret, "a-kubeconfig"),
      (seen) => JSON.stringify(seen?.["data"]) === JSON.stringify(live?.["data"]),
    );

    const target = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    const repository = (await session.api.get(target)) as Repository | undefined;
    expect(repository?.status?.problems?.first?.[0]).toMatchObject({ code: "E_SOPS_KEY", file: "secrets/b.yaml" });
    const written = await session.repository.git("log", "-p", "--all");
    for (const text of [...session.log.lines, JSON.stringify(repository), written]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString("base64"));
    }

    await session.repository.commit({ files: { "secrets/a.yaml": null, "secrets/b.yaml": null } });
    expect(await session.settle()).toMatchObject({ isApplied: true });
    expect(await session.get(secret, "a-kubeconfig")).toBeUndefined();
  });

  it("admits an agent by a file that is proposed, merged, and not proposed again; the branch is deleted with it", async () => {
    await session.repository.commit({ files: { "door.yaml": doorFile("door") } });
    await session.settle();
    const asked = await askToJoin(session, "door", "edge-1");
    const branch = `rollcall/join/${session.workspace}/door`;
    const path = `clusters/${session.workspace}/edge-1.yaml`;
    const first = await until(
      () => session.repository.head(branch),
      (head) => head !== undefined,
    );
    const file = await session.repository.git("show", `${branch}:${path}`);
    expect(file).toContain(`clientID: uid-edge-1`);
    expect(file).toMatch(/keys:\n\s+- sha256:[0-9a-f]{64}/u);

    await askToJoin(session, "door", "edge-2");
    const second = await until(
      () => session.repository.head(branch),
      (head) => head !== first,
    );
    expect((await session.repository.git("rev-parse", `${second}^`)).trim()).toBe(first);
    await session.settle();
    expect(await session.repository.head(branch)).toBe(second);

    await session.repository.commit({ files: { [path]: file }, message: "Squash of the proposal\n" });
    expect(await session.settle()).toMatchObject({ errorCount: 0 });
    await until(
      () => session.get(resourceTypes.clusterRegistration, asked),
      (seen) => textAt(seen, "status", "decision") === "Granted",
    );
    await session.settle();
    const offered = (await session.repository.git("diff", "--name-only", `main...${branch}`)).trim().split("\n");
    expect(offered).toEqual([`clusters/${session.workspace}/edge-2.yaml`]);

    await session.repository.commit({ files: { "door.yaml": null } });
    await session.settle();
    await until(
      () => session.get(resourceTypes.clusterRegistrationToken, "door"),
      (seen) => seen === undefined,
    );
    await session.settle();
    expect(await session.repository.head(branch)).toBeUndefined();
  });

  it("is not applied past a commit that no listed key signed, which is reported, until a signed one is on top", async () => {
    const signer = ed25519Signer();
    await session.api.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "signers", namespace: session.namespace },
        stringData: { team: signer.line },
      },
      { fieldManager: "test" },
    );
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    const verify = { keysSecretRef: { name: "signers" }, paths: ["signed/"] };
    await session.api.mergePatch(ref, { spec: { verify } }, { fieldManager: "kubectl" });
    await session.repository.commit({ files: { "c.yaml": clusterFile("c", { env: "free" }) } });
    expect(await session.settle()).toMatchObject({ isApplied: true });

    const unsigned = await session.repository.commit({ files: { "signed/x.yaml": clusterFile("x") } });
    session.enqueue();
    const seen = await until(
      async () => (await session.api.get(ref)) as Repository | undefined,
      (repository) => repository?.status?.conditions?.some(({ reason }) => reason === "UnverifiedCommit") === true,
    );
    const conditions = new Map(seen?.status?.conditions?.map((condition) => [condition.type, condition]));
    expect(conditions.get("Verified")).toMatchObject({ status: "False" });
    expect(conditions.get("Verified")?.message).toContain("signed/x.yaml");
    expect(conditions.get("Ready")).toMatchObject({ status: "False", reason: "UnverifiedCommit" });
    expect(await session.get(cluster, "x")).toBeUndefined();
    await until(
      async () => (await session.api.list(resourceTypes.event, { namespace: session.namespace })).items,
      (events) => events.some((event) => event["reason"] === "UnverifiedCommit"),
    );

    const c = { type: cluster, namespace: session.workspace, name: "c" };
    await session.api.mergePatch(c, { metadata: { labels: { env: "stolen" } } }, { fieldManager: "kubectl" });
    await until(
      () => session.get(cluster, "c"),
      (live) => live?.metadata.labels?.["env"] === "free",
    );

    const git = await openLocalEngine(session.repository.path, `${session.repository.path}.signer`);
    await git.commitAndPush({
      branch: "main",
      parent: unsigned,
      changes: new Map([["signed/y.yaml", clusterFile("y")]]),
      message: "Vouch for it\n",
      author: { name: "Alice", email: "alice@example.org" },
      committedAtMs: Date.now(),
      sign: async (payload) => signer.sign({ payload: Buffer.from(payload) }).armoured,
    });
    await git.close();
    expect(await session.settle()).toMatchObject({ isApplied: true });
    expect(await session.get(cluster, "x")).toBeDefined();
    expect(await session.get(cluster, "y")).toBeDefined();
  });
});

const policy = JSON.stringify({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Policy",
  metadata: { name: "house" },
  spec: { rules: [{ expression: "has(object.metadata.labels)", message: "every document needs labels" }] },
});

function clusterFile(name: string, labels?: Record<string, string>): string {
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, ...(labels ? { labels } : {}) },
    spec: {},
  });
}

function doorFile(name: string): string {
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name },
    spec: { ttl: "240h", approval: "PullRequest" },
  });
}

function secretFile(name: string, value: string, recipient: string): Promise<string> {
  const document = { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: { value } };
  return encryptSops(document, { recipients: [recipient], random: realRandom, nowMs: Date.now() });
}
