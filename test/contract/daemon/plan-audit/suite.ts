import { setMaxListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planAgainstHub } from "../../../../src/daemon/plan-against-hub.ts";
import type { ServedProtocol } from "../../../../src/daemon/foreign-protocols.ts";
import { rehearseOnRecords } from "../../../../src/daemon/rehearse-on-records.ts";
import { textAt } from "../../../../src/core/read-json.ts";
import type { GitEngine } from "../../../../src/git/git.ts";
import { openGitEngine } from "../../../../src/git/engine/open-git-engine.ts";
import type { PlanView } from "../../../../src/model/generated/page-api.ts";
import type { ObjectChange, PlanReport } from "../../../../src/model/generated/plan-report.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../../src/model/well-known.ts";
import { planAgainstRecords } from "../../../../src/review/plan-against-records.ts";
import { readStatusBranch } from "../../../../src/review/read-status-branch.ts";
import { realClock, realRandom } from "../../../../src/system/real-clock.ts";
import type { AuditedHub } from "../../../support/audited-hub.ts";
import { createRepository } from "../../../support/git-repositories.ts";
import { auditedFates, linesOf, plannedFates, uid, withoutGarbage } from "../../../support/planned-writes.ts";
import type { Scenario } from "../../../support/random-scenario.ts";
import { createScenario } from "../../../support/random-scenario.ts";
import { ed25519Signer } from "../../../unit/signatures/signature-builders.ts";
import type { DaemonSession } from "../daemon-session.ts";
import { openDaemonSession } from "../daemon-session.ts";
import { joinAgents } from "./joined-agents.ts";

const serves: readonly ServedProtocol[] = [
  { name: "fleet", controllers: "Rollcall" },
  { name: "kubefleet", controllers: "Rollcall" },
  { name: "clusternet", controllers: "Rollcall" },
];

/**
 * Fleets with agents of all protocols, and one commit each: what its plan names is what the API server was asked to write,
 * object by object; and the plans of the page and of the status branch name the same.
 */
export function describePlanAudit(
  hubName: string,
  startHub: () => Promise<AuditedHub>,
  seeds: readonly number[],
): void {
  describe(`a plan beside the record of writes of ${hubName}`, () => {
    let hub: AuditedHub;
    beforeAll(async () => {
      hub = await startHub();
    });
    afterAll(() => hub.stop());

    it.each(seeds)("names every object that the run writes, and no other (seed %i)", async (seed) => {
      const shared = { ...hub, stop: () => Promise.resolve() };
      const session = await openDaemonSession(shared, { daemonKubeconfig: hub.daemonKubeconfig });
      const scenario = createScenario(seed, session.workspace);
      try {
        await compareOne({ hub, session, scenario, seed });
      } catch (error) {
        throw new Error(`${scenario.deeds.join("\n")}\n${String(error)}`, { cause: error });
      } finally {
        await session.close();
      }
    });
  });
}

interface World {
  readonly hub: AuditedHub;
  readonly session: DaemonSession;
  readonly scenario: Scenario;
  readonly seed: number;
}

async function compareOne({ hub, session, scenario, seed }: World): Promise<void> {
  const signer = ed25519Signer();
  await makeSigners(session, signer.line);
  const commit = await openCommitter(session, scenario.spec.verify === undefined ? undefined : signer);
  await commit.write("main", scenario.before, "start\n");
  const { spec, workspaceLimit, other } = scenario;
  // The fleet is set up before the Repository is suspended.
  await session.startDaemon({
    spec: { ...spec, suspend: false },
    serves,
    ...(workspaceLimit ? { workspaceLimit } : {}),
    ...(other ? { followsOthers: true, identity: "one" } : {}),
  });
  if (other) await followOther(session, other);
  await session.settle();
  const agents = await joinAgents(session, { seed, members: scenario.members });
  try {
    for (const name of scenario.suspended) await suspend(session, name);
    if (spec.writeBack?.mode !== "None") await untilRecorded(session, scenario);
    if (spec.suspend === true) await patchRepository(session, { suspend: true });
    await untilQuiet(hub, session);
    const head = await commit.write("next", scenario.commit.files, scenario.commit.message);
    const tokenSecrets = await readTokenSecrets(session);
    const page = await session.planBranch("next");
    const { online, offline } = await planBoth(session, head);
    const from = (await hub.writes()).length;
    await session.repository.git("update-ref", "refs/heads/main", head);
    const isSuspended = spec.suspend === true;
    if (isSuspended) session.enqueue();
    else await session.settle();
    const planned = isSuspended ? [] : linesOf(withoutGarbage(plannedFates(online), tokenSecrets));
    const audited = async (): Promise<string[]> => {
      await agents.turn();
      const writes = (await hub.writes()).slice(from);
      return linesOf(withoutGarbage(auditedFates(writes, isPlannable), tokenSecrets));
    };
    await eventuallyEqual(audited, planned);
    await untilQuiet(hub, session);
    expect(await audited()).toEqual(planned);
    if (isSuspended) expect(online.notes.join(" ")).toContain("suspended");
    expectSame(page, online);
    if (offline) expectOffline(offline, online);
  } finally {
    await agents.stop();
    await commit.close();
  }
}

/** Polls until both are equal, or fails with what differs. */
async function eventuallyEqual(look: () => Promise<string[]>, wanted: readonly string[]): Promise<void> {
  await expect.poll(look, { interval: 100 }).toEqual(wanted);
}

/** Writes of the daemon for itself are not of a plan: its identity, and what agents read before they have a credential. */
function isPlannable(namespace: string): boolean {
  return namespace !== "rollcall-public" && !namespace.startsWith("daemon-");
}

/** No write for as long as three reads of the daemon's state take, and nothing on its way out. */
async function untilQuiet(hub: AuditedHub, session: DaemonSession): Promise<void> {
  let last = -1;
  await expect
    .poll(
      async () => {
        await session.whenIdle();
        const count = (await hub.writes()).length;
        const isSame = count === last;
        last = count;
        return isSame;
      },
      { interval: 400 },
    )
    .toBe(true);
}

/** The status branch has every agent that joined, and every suspension. */
async function untilRecorded(session: DaemonSession, { members, suspended }: Scenario): Promise<void> {
  const git = await openPlanGit(session, "records");
  try {
    await expect
      .poll(
        async () => {
          const commit = await git.fetchHead("rollcall/status").catch(() => undefined); // not written yet
          const records = commit === undefined ? [] : (await readStatusBranch(git, commit)).clusters;
          const names = (isMeant: (record: (typeof records)[number]) => boolean): string[] =>
            records.filter(isMeant).map(({ metadata }) => metadata.name);
          const joined = names(({ join }) => join !== undefined);
          const stopped = names((record) => record.suspended === true);
          const all = [
            // KubeFleet's agents do not register: nothing is recorded of a join.
            ...members
              .filter(({ isJoined, protocol }) => isJoined && protocol !== "kubefleet")
              .filter(({ name }) => !joined.includes(name)),
            ...members.filter(({ name }) => suspended.includes(name)).filter(({ name }) => !stopped.includes(name)),
          ];
          return all.map(({ name }) => name);
        },
        { interval: 100 },
      )
      .toEqual([]);
  } finally {
    await git.close();
  }
}

function openPlanGit({ repository: { path } }: DaemonSession, cache: string): Promise<GitEngine> {
  const access = { isLocalAllowed: true, clock: realClock, random: realRandom };
  return openGitEngine({ url: path, cacheDir: `${path}.${cache}`, ...access });
}

async function openCommitter(session: DaemonSession, signer: ReturnType<typeof ed25519Signer> | undefined) {
  const git = await openPlanGit(session, "committer");
  return {
    close: () => git.close(),
    /** Commits on top of main, to this branch. */
    write: async (branch: string, files: Scenario["commit"]["files"], message: string): Promise<string> => {
      const parent = await session.repository.head();
      if (signer === undefined)
        return session.repository.commit({ branch, files, message, ...(parent === undefined ? {} : { from: parent }) });
      if (branch !== "main" && parent !== undefined)
        await session.repository.git("update-ref", `refs/heads/${branch}`, parent);
      await git.commitAndPush({
        branch,
        parent,
        changes: new Map(Object.entries(files)),
        message,
        author: { name: "Alice", email: "alice@example.org" },
        committedAtMs: Date.now(),
        sign: async (payload) => signer.sign({ payload: Buffer.from(payload) }).armoured,
      });
      return (await session.repository.head(branch)) ?? "";
    },
  };
}

async function makeSigners({ api, namespace }: DaemonSession, line: string): Promise<void> {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "signers", namespace },
    stringData: { team: line },
  };
  await api.create(secret, { fieldManager: "test" });
}

async function suspend({ api, workspace: namespace }: DaemonSession, name: string): Promise<void> {
  const ref = { type: resourceTypes.cluster, namespace, name };
  if ((await api.get(ref)) === undefined) return;
  const patch = { metadata: { annotations: { [annotationKeys.reconcile]: "disabled" } } };
  await api.mergePatch(ref, patch, { fieldManager: "kubectl" });
}

async function patchRepository({ api, namespace }: DaemonSession, spec: { readonly suspend: boolean }): Promise<void> {
  const ref = { type: resourceTypes.repository, namespace, name: "fleet" };
  await api.mergePatch(ref, { spec: { ...spec } }, { fieldManager: "kubectl" });
}

async function followOther(session: DaemonSession, files: Readonly<Record<string, string>>): Promise<void> {
  const other = await createRepository(`${session.repository.path}.other.git`);
  await other.commit({ files });
  const object = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { namespace: session.namespace, name: "other" },
    spec: { url: other.path, workspaces: [session.workspace], defaultWorkspace: session.workspace },
  };
  await session.api.create(object, { fieldManager: "kubectl" });
}

/** Secrets that Kubernetes deletes with their account. */
async function readTokenSecrets({ api }: DaemonSession): Promise<ReadonlySet<string>> {
  const { items } = await api.list(resourceTypes.secret);
  return new Set(
    items
      .filter((item) => textAt(item, "type") === "kubernetes.io/service-account-token")
      .map(({ metadata }) => `Secret/${metadata.namespace}/${metadata.name.replace(uid, "<uid>")}`),
  );
}

async function planBoth(
  session: DaemonSession,
  head: string,
): Promise<{ readonly online: PlanReport; readonly offline: PlanReport | undefined }> {
  const git = await openPlanGit(session, "plans");
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  try {
    await git.fetchHead("next");
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    const repository = (await session.api.get(ref)) as Repository;
    const nowMs = realClock.nowMs();
    const online = await planAgainstHub({ hubApi: session.api, git, head, repository, isDryRun: false, nowMs, signal });
    return { online, offline: await planOffline(git, { head, nowMs, signal }) };
  } finally {
    await git.close();
  }
}

/** Undefined where the Repository writes no status branch. */
async function planOffline(
  git: GitEngine,
  { head, nowMs, signal }: { readonly head: string; readonly nowMs: number; readonly signal: AbortSignal },
): Promise<PlanReport | undefined> {
  const statusCommit = await git.fetchHead("rollcall/status").catch(() => undefined); // no such branch
  if (statusCommit === undefined) return undefined;
  const records = await readStatusBranch(git, statusCommit);
  const place = { namespace: "none", name: "none", base: undefined, nowMs };
  return planAgainstRecords({ git, head, records, ...place, rehearse: rehearseOnRecords(signal) });
}

/** What a change of a plan leads to, by the changed object; real uids are what a plan offline does not know. */
function worksOf({ changes }: PlanReport, { isOnRecord = true } = {}): Map<string, unknown> {
  const nameOf = ({ kind, namespace, name }: Pick<ObjectChange, "kind" | "namespace" | "name">): string =>
    [kind, namespace, name.replace(uid, "<uid>")].filter((part) => part !== undefined).join("/");
  return new Map(
    changes.map((change) => {
      const { creates = [], updates = [], deletes = [], credentials = [], steps = [] } = change.hubWork ?? {};
      const lists = { creates: creates.map(nameOf).sort(), updates: updates.map(nameOf).sort() };
      const left = deletes.filter(({ kind }) => isOnRecord || kind !== "ClusterRegistration");
      return [nameOf(change), { ...lists, deletes: left.map(nameOf).sort(), credentials, steps }];
    }),
  );
}

/** The page has the same objects, credentials and steps. */
function expectSame(page: PlanView | undefined, online: PlanReport): void {
  const shown = new Map<string, unknown>(
    (page?.changes ?? []).map(({ object, hubWork }) => {
      const { creates = [], updates = [], deletes = [], credentials = [], steps = [] } = hubWork ?? {};
      const shape = (names: readonly string[]): string[] => names.map((name) => name.replace(uid, "<uid>")).sort();
      const lists = { creates: shape(creates), updates: shape(updates), deletes: shape(deletes) };
      return [object, { ...lists, credentials, steps }];
    }),
  );
  expect(Object.fromEntries(shown), "page").toEqual(Object.fromEntries(worksOf(online)));
}

/**
 * The status branch gives the same, but for clusters of which the plan reports that it does not know all, and for requests of
 * agents to join, which no record has.
 */
function expectOffline(offline: PlanReport, online: PlanReport): void {
  const isKnown = (key: string): boolean =>
    !offline.notes.some((note) => note.includes(` ${key.replace(/^Cluster\//u, "")}`) && /not on record/u.test(note));
  const seen = Object.fromEntries([...worksOf(offline, { isOnRecord: false })].filter(([key]) => isKnown(key)));
  const wanted = Object.fromEntries([...worksOf(online, { isOnRecord: false })].filter(([key]) => isKnown(key)));
  expect(seen, "offline").toEqual(wanted);
}
