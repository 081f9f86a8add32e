import { setMaxListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planAgainstHub } from "../../../src/daemon/plan-against-hub.ts";
import { planAgainstRecords } from "../../../src/review/plan-against-records.ts";
import { withRangeBase } from "../../../src/planning/repository-state.ts";
import { readStatusBranch } from "../../../src/review/read-status-branch.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { CreatedChild, PlanReport } from "../../../src/model/generated/plan-report.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { openParseCache } from "../../../src/work-tree/parse-cache.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

let session: DaemonSession;
let git: GitEngine;

beforeEach(async () => {
  session = await openDaemonSession(await readyHub());
  const url = session.repository.path;
  const access = { url, cacheDir: `${url}.plans`, isLocalAllowed: true, clock: realClock, random: realRandom };
  git = await openGitEngine(access);
});
afterEach(async () => {
  await git.close();
  await session.close();
});

function clusterFile(name: string, namespace?: string): string {
  const place = namespace === undefined ? "" : `  namespace: ${namespace}\n`;
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: ${name}\n${place}`;
}

async function readRepository(): Promise<Repository> {
  const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
  const live = (await session.api.get(ref)) as Repository | undefined;
  if (live === undefined) throw new Error("the Repository is not there");
  return live;
}

/** The plans of a commit: from the hub, and from the status branch alone. `base`: a commit that is compared with. */
async function plansOf(
  head: string,
  base?: string,
): Promise<{ readonly online: PlanReport; readonly offline: PlanReport }> {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const nowMs = realClock.nowMs();
  const repository = await readRepository();
  const online = await planAgainstHub({
    hubApi: session.api,
    git,
    head,
    repository: base === undefined ? repository : withRangeBase(repository, base),
    ...(base === undefined ? {} : { base }),
    isDryRun: false,
    nowMs,
    signal,
  });
  const statusCommit = (await git.fetchHead("rollcall/status")) ?? "";
  const records = await readStatusBranch(git, statusCommit);
  const place = { namespace: "none", name: "none", base, nowMs };
  return { online, offline: await planAgainstRecords({ git, head, records, ...place }) };
}

function verdictOf({ changes, problems }: PlanReport): { readonly creates: string[]; readonly codes: string[] } {
  return { creates: changes.map(({ name }) => name), codes: problems.map(({ code }) => code) };
}

async function clusterNames(): Promise<string[]> {
  const { items } = await session.api.list(resourceTypes.cluster, { namespace: session.workspace });
  return items.map(({ metadata }) => metadata.name).sort();
}

describe("namespaces in a plan", () => {
  it("refuses a namespace that is no workspace, online and offline, as run does", async () => {
    await session.repository.commit({ files: { "a.yaml": clusterFile("a") } });
    await session.startDaemon({ spec: { workspaces: ["*"] } });
    await session.settle();
    const head = await session.repository.commit({ files: { "b.yaml": clusterFile("b", "no-workspace") } });
    const { online, offline } = await plansOf(head);
    expect(verdictOf(online)).toEqual({ creates: [], codes: ["E_NAMESPACE"] });
    expect(verdictOf(offline)).toEqual(verdictOf(online));
    expect((await session.settle()).errorCount).toBe(1);
    expect(await clusterNames()).toEqual(["a"]);
  });

  it("keeps to the daemon's own limit of workspaces, online and offline, as run does", async () => {
    await session.repository.commit({ files: { "readme.txt": "nothing" } });
    await session.startDaemon({ spec: { workspaces: ["*"] }, workspaceLimit: ["elsewhere-*"] });
    await session.settle();
    const head = await session.repository.commit({ files: { "b.yaml": clusterFile("b", session.workspace) } });
    const { online, offline } = await plansOf(head);
    expect(verdictOf(online)).toEqual({ creates: [], codes: ["E_NAMESPACE"] });
    expect(verdictOf(offline)).toEqual(verdictOf(online));
    expect((await session.settle()).errorCount).toBe(1);
    expect(await clusterNames()).toEqual([]);
  });
});

describe("a plan against a commit that is named", () => {
  it("shows apart what waits on that commit already, online and offline", async () => {
    const files = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.yaml`, clusterFile(name)]));
    await session.repository.commit({ files });
    await session.startDaemon({ spec: { deletionBudget: { maximum: 0 } } });
    await session.settle();
    const base = await session.repository.commit({ files: { "a.yaml": null, "b.yaml": null } });
    await session.settle();
    const head = await session.repository.commit({ files: { "c.yaml": null } });
    for (const [place, plan] of Object.entries(await plansOf(head, base))) {
      expect(
        plan.waitingOnBase?.map(({ name }) => name),
        place,
      ).toEqual(["a", "b"]);
      expect(
        plan.withheld.map(({ name }) => name),
        place,
      ).toEqual(["c"]);
    }
  });
});

describe("a plan after another one", () => {
  it("reads the files alone that differ from those that were parsed before", async () => {
    await session.repository.commit({ files: { "a.yaml": clusterFile("a"), "b.yaml": clusterFile("b") } });
    await session.startDaemon();
    await session.settle();
    const parsedFiles = await openParseCache(`${session.repository.path}.parsed`);
    const readCountOfPlan = async (head: string): Promise<number> => {
      let count = 0;
      const readBlob: GitEngine["readBlob"] = (id, options) => {
        count += 1;
        return git.readBlob(id, options);
      };
      const repository = await readRepository();
      const time = { nowMs: realClock.nowMs(), signal: new AbortController().signal };
      const place = { hubApi: session.api, git: { ...git, readBlob }, head, repository };
      const { problems } = await planAgainstHub({ ...place, ...time, parsedFiles, isDryRun: false });
      expect(problems).toEqual([]);
      return count;
    };
    const first = await session.repository.commit({
      files: { "c.yaml": clusterFile("c"), "d.yaml": clusterFile("d") },
    });
    expect(await readCountOfPlan(first)).toBe(4);
    const second = await session.repository.commit({ files: { "b.yaml": null, "e.yaml": clusterFile("e") } });
    expect(await readCountOfPlan(second)).toBe(1);
  });
});

describe("a token whose protocol changes", () => {
  it("gets the values of its new protocol, although the type of a Secret never changes", async () => {
    const tokenFile = (protocol: string): string =>
      `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\nmetadata: {name: t}\nspec: {protocol: ${protocol}}\n`;
    const typeOf = async () => (await session.get(resourceTypes.secret, "t"))?.["type"];
    await session.repository.commit({ files: { "t.yaml": tokenFile("rollcall") } });
    const serves = [{ name: "fleet", controllers: "Rollcall" }] as const;
    await session.startDaemon({ serves });
    await until(typeOf, (type) => type === "Opaque");
    // Plans that are made elsewhere read from it which agents the daemon serves.
    await until(readRepository, ({ status }) => isDeepStrictEqual(status?.serves, serves));
    await session.repository.commit({ files: { "t.yaml": tokenFile("fleet") } });
    await session.settle();
    await until(typeOf, (type) => type === "fleet.cattle.io/cluster-registration-values");
  });
});

describe("the page's plan of a branch", () => {
  it("names the objects, credentials and steps that rollcall plan names", async () => {
    const files = Object.fromEntries(["a", "b"].map((name) => [`${name}.yaml`, clusterFile(name)]));
    const main = await session.repository.commit({ files });
    await session.startDaemon({ spec: { deletionBudget: { maximum: 9 } } });
    await session.settle();
    const change = { "a.yaml": null, "c.yaml": clusterFile("c") };
    const head = await session.repository.commit({ branch: "next", from: main, files: change });
    await git.fetchHead("next");
    const { online } = await plansOf(head);
    const page = await session.planBranch("next");
    const nameOf = ({ kind, namespace, name }: CreatedChild): string =>
      [kind, namespace, name].filter((part) => part !== undefined).join("/");
    const planned = online.changes.map(({ kind, namespace, name, hubWork }) => [
      nameOf({ kind, name, ...(namespace === undefined ? {} : { namespace }) }),
      hubWork && {
        ...hubWork,
        creates: hubWork.creates.map(nameOf),
        updates: hubWork.updates.map(nameOf),
        deletes: hubWork.deletes.map(nameOf),
      },
    ]);
    const shown = page?.changes.map(({ object, hubWork }) => {
      const { effect: _effect, objectCount: _count, ...work } = hubWork ?? {};
      return [object, hubWork && work];
    });
    expect(planned).toHaveLength(2);
    expect(shown).toEqual(planned);
    expect(page?.changes.map(({ hubWork }) => hubWork?.effect)).not.toContain(undefined);
  });
});

describe("a change of Repository.spec", () => {
  it("reads other paths of the commit that was applied already, without a new commit", async () => {
    await session.repository.commit({ files: { "a/a.yaml": clusterFile("a"), "b/b.yaml": clusterFile("b") } });
    await session.startDaemon({ spec: { paths: ["/a"] } });
    await session.settle();
    expect(await clusterNames()).toEqual(["a"]);
    const { metadata, spec } = await readRepository();
    const { apiVersion, kind } = await readRepository();
    const changed = { ...spec, paths: ["/a", "/b"] };
    const object = {
      apiVersion,
      kind,
      metadata: { namespace: metadata.namespace ?? "", name: metadata.name },
      spec: changed,
    };
    await session.api.apply(object, { fieldManager: "rollcall-hub" });
    await until(clusterNames, (names) => names.join() === "a,b");
  });

  it.each([
    { mode: "Repository", url: "https://git.example.org/status.git" } as const,
    { mode: "Branch", signingKeySecretRef: { name: "key" } } as const,
    { mode: "Branch", url: "https://git.example.org/status.git" } as const,
    { mode: "Branch", secretRef: { name: "other" } } as const,
  ])("reports that %o is not supported, and writes no status branch", async (writeBack) => {
    await session.repository.commit({ files: { "a.yaml": clusterFile("a") } });
    await session.startDaemon({ spec: { writeBack } });
    await session.settle();
    expect(await session.repository.head("rollcall/status")).toBeUndefined();
    const condition = (await readRepository()).status?.conditions?.find(({ type }) => type === "WriteBackReady");
    expect(condition).toMatchObject({ status: "False" });
    expect(condition?.message).toContain("which this version does not support");
    expect(await clusterNames()).toEqual(["a"]);
  });
});
