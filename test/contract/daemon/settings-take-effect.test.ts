import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Repository, RepositorySpec } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { findCondition } from "../../../src/planning/conditions.ts";
import type { Daemon } from "../../../src/daemon/wire-run.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { statusAuthor } from "../../../src/reconcile/status-branches.ts";
import { encryptSops } from "../../../src/secrets/encrypt-sops.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { ed25519Signer } from "../../unit/signatures/signature-builders.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { askToJoin } from "./ask-to-join.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const cluster = (name: string, labels = "{env: prod}"): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, labels: ${labels}}\n`;
const policy = `apiVersion: rollcall.dev/v1alpha1
kind: Policy
metadata: {name: environments}
spec:
  scope: {kinds: [Cluster]}
  rules:
    - {expression: "object.metadata.labels['env'] != 'staging'", message: staging is closed}
`;
const token = `apiVersion: rollcall.dev/v1alpha1
kind: ClusterRegistrationToken
metadata: {name: token}
spec: {approval: PullRequest}
`;
const three = { "a.yaml": cluster("a"), "b.yaml": cluster("b"), "c.yaml": cluster("c") };

let hub: HubUnderTest;
beforeAll(async () => {
  hub = await readyHub();
});
afterAll(() => hub.stop());

interface Setting {
  readonly field: string;
  readonly files?: Readonly<Record<string, string | null>>;
  readonly before: Partial<RepositorySpec>;
  /** What happens between the first run and the change. */
  readonly prepare?: (session: DaemonSession) => Promise<unknown>;
  readonly change: JsonObject;
  readonly afterwards?: (session: DaemonSession) => Promise<unknown>;
  /** What is only true with the change. */
  readonly isEffective: (session: DaemonSession) => Promise<boolean>;
}

const isThere = (name: string) => async (session: DaemonSession) =>
  (await session.get(resourceTypes.cluster, name)) !== undefined;
const isGone = (name: string) => async (session: DaemonSession) => !(await isThere(name)(session));
const hasBranch = (branch: string) => async (session: DaemonSession) =>
  (await session.repository.head(branch)) !== undefined;

async function makeOtherWorkspace({ api, workspace }: DaemonSession): Promise<void> {
  const metadata = { name: `other-${workspace}`, labels: { [labelKeys.workspace]: "true" } };
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
}

async function makeSecret({ api, namespace }: DaemonSession, name: string, value: string): Promise<void> {
  const metadata = { name, namespace };
  await api.create({ apiVersion: "v1", kind: "Secret", metadata, stringData: { value } }, { fieldManager: "test" });
}

/** A commit with a signature, and the Secret `others` with its key. */
async function commitSigned(session: DaemonSession): Promise<void> {
  const { repository } = session;
  const signer = ed25519Signer();
  await makeSecret(session, "others", signer.line);
  const clock = { clock: realClock, random: realRandom };
  const cacheDir = `${repository.path}.signer`;
  const git = await openGitEngine({ url: repository.path, cacheDir, isLocalAllowed: true, ...clock });
  await git.commitAndPush({
    branch: "main",
    parent: await repository.head(),
    changes: new Map([["a.yaml", cluster("a", "{env: signed}")]]),
    message: "Sign it\n",
    author: { name: "Alice", email: "alice@example.org" },
    committedAtMs: Date.now(),
    sign: (payload) => Promise.resolve(signer.sign({ payload: Buffer.from(payload) }).armoured),
  });
  await git.close();
  session.enqueue();
  await session.whenIdle();
}

/** A commit with an encrypted Secret, and the Secret `age` with the key. */
async function commitEncrypted(session: DaemonSession): Promise<void> {
  const identity = await generateX25519Identity();
  await makeSecret(session, "age", `${identity}\n`);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "sealed" }, stringData: { value: "x" } };
  const recipients = [await identityToRecipient(identity)];
  const text = await encryptSops(secret, { recipients, random: realRandom, nowMs: Date.now() });
  await session.repository.commit({ files: { "sealed.yaml": text } });
  await session.settle();
}

async function waitForProposal(session: DaemonSession): Promise<void> {
  await askToJoin(session, "token", "edge-1");
  await until(
    () => session.repository.head(`rollcall/join/${session.workspace}/token`),
    (head) => head !== undefined,
  );
}

async function waitForCluster(session: DaemonSession): Promise<void> {
  await askToJoin(session, "token", "edge-1");
  await until(
    () => session.get(resourceTypes.cluster, "edge-1"),
    (object) => object !== undefined,
  );
}

/** Allowed signers of no author here. */
async function makeKeys({ api, namespace }: DaemonSession): Promise<void> {
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJXo3lVZo0cFvKd0l9nYNnG3Zc1fJ3pU3l8D1m2E7r9q";
  const data = { signers: Buffer.from(`nobody@example.org ${key}\n`).toString("base64") };
  await api.create(
    { apiVersion: "v1", kind: "Secret", metadata: { name: "keys", namespace }, data },
    { fieldManager: "test" },
  );
}

/** A status branch that began two days ago. */
async function ageStatusBranch(session: DaemonSession): Promise<void> {
  const { repository } = session;
  await repository.git("update-ref", "-d", "refs/heads/rollcall/status");
  const [cacheDir, clock] = [`${repository.path}.status`, { clock: realClock, random: realRandom }];
  const git = await openGitEngine({ url: repository.path, cacheDir, isLocalAllowed: true, ...clock });
  await git.commitAndPush({
    ...{ branch: "rollcall/status", parent: undefined, changes: new Map([["README.md", "old\n"]]) },
    ...{ message: "status: old\n", author: statusAuthor, committedAtMs: Date.now() - 2 * 86_400_000 },
  });
  await git.close();
  await repository.commit({ files: { "b.yaml": cluster("b") } });
  await session.settle();
}

async function changeSpec({ api, namespace }: DaemonSession, spec: JsonObject): Promise<void> {
  const ref = { type: resourceTypes.repository, namespace, name: "fleet" };
  await api.mergePatch(ref, { spec }, { fieldManager: "test" });
}

/** A run that knows the newest spec has ended. */
async function untilObserved({ api, namespace }: DaemonSession): Promise<void> {
  await until(
    () => api.get({ type: resourceTypes.repository, namespace, name: "fleet" }),
    (object) => (object as Repository | undefined)?.status?.observedGeneration === object?.metadata.generation,
  );
}

/** The leader writes the Repository before it follows it. */
async function untilFollowed(daemon: Daemon): Promise<void> {
  await until(
    () => Promise.resolve(daemon.queueCounts().has("repository")),
    (isFollowed) => isFollowed,
  );
  await daemon.whenIdle();
}

const removeOne = (session: DaemonSession): Promise<unknown> =>
  session.repository.commit({ files: { "a.yaml": null } }).then(() => session.settle());

const settings: readonly Setting[] = [
  {
    field: "spec.paths",
    files: { "clusters/a.yaml": cluster("a"), "other/b.yaml": cluster("b") },
    before: { paths: ["/clusters"] },
    change: { paths: ["/clusters", "/other"] },
    isEffective: isThere("b"),
  },
  {
    field: "spec.ref.branch",
    before: {},
    prepare: ({ repository }) => repository.commit({ branch: "next", from: null, files: { "b.yaml": cluster("b") } }),
    change: { ref: { branch: "next" } },
    isEffective: isThere("b"),
  },
  {
    field: "spec.interval",
    before: { interval: "10m" },
    change: { interval: "1s" },
    // The change itself starts a run: what comes after it does not.
    afterwards: async (session) => {
      await untilObserved(session);
      await session.whenIdle();
      await session.repository.commit({ files: { "b.yaml": cluster("b") } });
    },
    isEffective: isThere("b"),
  },
  { field: "spec.suspend", before: { suspend: true }, change: { suspend: false }, isEffective: isThere("a") },
  {
    field: "spec.workspaces",
    before: { workspaces: ["elsewhere"] },
    change: {},
    // Not only the file is applied: the controllers of the hub follow what is in the workspace.
    isEffective: async (session) => conditionOf(await session.get(resourceTypes.cluster, "a"), "Joined") !== undefined,
  },
  {
    field: "spec.defaultWorkspace",
    before: {},
    prepare: makeOtherWorkspace,
    change: {},
    isEffective: async (session) =>
      (await session.get(resourceTypes.cluster, "a", `other-${session.workspace}`)) !== undefined,
  },
  {
    field: "spec.deletionBudget.minimum",
    files: three,
    before: { deletionBudget: { minimum: 0, percent: 0 } },
    prepare: removeOne,
    change: { deletionBudget: { minimum: 1 } },
    isEffective: isGone("a"),
  },
  {
    field: "spec.deletionBudget.percent",
    files: three,
    before: { deletionBudget: { minimum: 0, percent: 0 } },
    prepare: removeOne,
    change: { deletionBudget: { percent: 100 } },
    isEffective: isGone("a"),
  },
  {
    field: "spec.deletionBudget.maximum",
    files: three,
    before: { deletionBudget: { minimum: 0, percent: 100, maximum: 0 } },
    prepare: removeOne,
    change: { deletionBudget: { maximum: 5 } },
    isEffective: isGone("a"),
  },
  {
    field: "spec.policies",
    files: { "a.yaml": cluster("a", "{env: staging}"), "p.yaml": policy },
    before: { policies: "Enforce" },
    change: { policies: "Warn" },
    isEffective: isThere("a"),
  },
  {
    field: "spec.writeBack.mode",
    before: { writeBack: { mode: "None" } },
    change: { writeBack: { mode: "Branch" } },
    isEffective: hasBranch("rollcall/status"),
  },
  {
    field: "spec.writeBack.branch",
    before: { writeBack: { branch: "rollcall/status" } },
    change: { writeBack: { branch: "status/other" } },
    isEffective: hasBranch("status/other"),
  },
  {
    field: "spec.writeBack.interval",
    before: { writeBack: { interval: "10m" } },
    prepare: async (session) => {
      const { api, workspace } = session;
      const ref = { type: resourceTypes.cluster, namespace: workspace, name: "a" };
      const annotations = { [annotationKeys.reconcile]: "disabled" };
      await api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
      await session.whenIdle();
    },
    change: { writeBack: { interval: "1s" } },
    isEffective: async ({ repository }) =>
      (await repository.git("log", "-p", "rollcall/status", "--")).includes("suspended: true"),
  },
  {
    field: "spec.writeBack.history",
    before: { writeBack: { interval: "1s" } },
    prepare: ageStatusBranch,
    change: { writeBack: { history: 1 } },
    isEffective: hasBranch("rollcall/status-past"),
  },
  {
    field: "spec.verify",
    before: { verify: { keysSecretRef: { name: "keys" } } },
    change: { verify: null },
    isEffective: isThere("a"),
  },
  {
    field: "spec.verify.paths",
    before: { verify: { keysSecretRef: { name: "keys" } } },
    change: { verify: { paths: ["/signed"] } },
    isEffective: isThere("a"),
  },
  {
    field: "spec.verify.keysSecretRef.name",
    before: { verify: { keysSecretRef: { name: "keys" } } },
    prepare: commitSigned,
    change: { verify: { keysSecretRef: { name: "others" } } },
    isEffective: isThere("a"),
  },
  {
    field: "spec.decryption.ageKeySecretRef.name",
    before: {},
    prepare: commitEncrypted,
    change: { decryption: { ageKeySecretRef: { name: "age" } } },
    isEffective: async (session) => (await session.get(resourceTypes.secret, "sealed")) !== undefined,
  },
  {
    field: "spec.proposals.clusters",
    files: { "token.yaml": token.replace("approval: PullRequest", "approval: Automatic") },
    before: { proposals: { clusters: "Pending" } },
    prepare: waitForCluster,
    change: { proposals: { clusters: "All" } },
    isEffective: async ({ repository, workspace }) =>
      (await repository.head(`rollcall/registered/${workspace}/token`)) !== undefined,
  },
  {
    field: "spec.proposals.path",
    files: { "token.yaml": token },
    before: { proposals: { path: "old/{name}.yaml" } },
    prepare: waitForProposal,
    change: { proposals: { path: "new/{name}.yaml" } },
    isEffective: async ({ repository, workspace }) =>
      (await repository.fileNames(`rollcall/join/${workspace}/token`)).includes("new/edge-1.yaml"),
  },
];

describe("a field of Repository.spec", () => {
  it.each(settings)("takes effect on a running daemon without a new commit: $field", async (setting) => {
    const session = await openDaemonSession({ ...hub, stop: () => Promise.resolve() });
    try {
      const { field, files = { "a.yaml": cluster("a") }, before, prepare, change, afterwards, isEffective } = setting;
      if (before.verify) await makeKeys(session);
      await session.repository.commit({ files });
      const { workspace } = session;
      const daemon = await session.startDaemon({ spec: { workspaces: [workspace, `other-${workspace}`], ...before } });
      await untilFollowed(daemon);
      await prepare?.(session);
      expect(await isEffective(session)).toBe(false);
      const own: Readonly<Record<string, JsonObject>> = {
        "spec.workspaces": { workspaces: [workspace] },
        "spec.defaultWorkspace": { defaultWorkspace: `other-${workspace}` },
      };
      await changeSpec(session, own[field] ?? change);
      await afterwards?.(session);
      await until(
        () => isEffective(session),
        (effective) => effective,
      );
    } finally {
      await session.close();
    }
  });

  it("follows the address that flags name at the next start, whatever spec.url was before", async () => {
    const session = await openDaemonSession({ ...hub, stop: () => Promise.resolve() });
    try {
      await session.repository.commit({ files: { "a.yaml": cluster("a") } });
      await untilFollowed(await session.startDaemon());
      await session.stopDaemon();
      await changeSpec(session, { url: `${session.repository.path}-other` });
      await untilFollowed(await session.startDaemon());
      await session.repository.commit({ files: { "b.yaml": cluster("b") } });
      await session.settle();
      expect(await isThere("b")(session)).toBe(true);
    } finally {
      await session.close();
    }
  });

  it("reports that another address needs a restart: spec.url of the Repository that flags make", async () => {
    const session = await openDaemonSession({ ...hub, stop: () => Promise.resolve() });
    try {
      await session.repository.commit({ files: { "a.yaml": cluster("a") } });
      await session.startDaemon();
      await session.settle();
      await changeSpec(session, { url: `${session.repository.path}-other` });
      const ready = await until(
        async () => {
          const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
          const { status } = (await session.api.get(ref)) as Repository;
          return { condition: findCondition(status?.conditions, "Ready"), url: status?.url };
        },
        ({ condition }) => condition?.status === "False",
      );
      expect(ready.condition?.message).toContain("restart the daemon");
      expect(ready.url).toBe(session.repository.path);
    } finally {
      await session.close();
    }
  });
});
