import { setMaxListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planAgainstHub } from "../../../src/daemon/plan-against-hub.ts";
import { planAgainstRecords } from "../../../src/review/plan-against-records.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { PlanReport } from "../../../src/model/generated/plan-report.ts";
import type { Repository, RepositorySpec } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { rehearseOnRecords } from "../../../src/daemon/rehearse-on-records.ts";
import type { ServedProtocol } from "../../../src/daemon/foreign-protocols.ts";
import { readStatusBranch } from "../../../src/review/read-status-branch.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { compareHubChildren, isHubAtRest, plannedHubChildren, readHubChildren } from "../../support/hub-children.ts";
import { countOfRun } from "../../support/full-counts.ts";
import { until } from "../../support/until.ts";
import { openParseCache } from "../../../src/work-tree/parse-cache.ts";
import { createRandomFleet } from "../../support/random-fleet.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

// More repositories: PLAN_REPOSITORIES=200 npx vitest run --project contract test/contract/daemon/plan-and-run.test.ts
// Some of them: PLAN_SEEDS=39-80 or PLAN_SEEDS=8,22
const count = process.env["PLAN_REPOSITORIES"] ?? countOfRun({ full: 10, short: 4 });
const wanted = process.env["PLAN_SEEDS"] ?? `1-${count}`;
const seeds = wanted.split(",").flatMap((part) => {
  const [first = 0, last = first] = part.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_value, index) => first + index);
});
const types = [resourceTypes.cluster, resourceTypes.clusterRegistrationToken, resourceTypes.clusterGroup];
const serves: readonly ServedProtocol[] = [
  { name: "fleet", controllers: "Rollcall" },
  { name: "kubefleet", controllers: "Rollcall" },
  { name: "clusternet", controllers: "Rollcall" },
];
const policy = `apiVersion: rollcall.dev/v1alpha1
kind: Policy
metadata: {name: environments}
spec:
  scope: {kinds: [Cluster]}
  rules:
    - expression: object.metadata.labels['env'] != 'staging'
      message: staging is closed
`;

interface Settings {
  readonly spec: Partial<RepositorySpec>;
  readonly workspaceLimit?: readonly string[];
}

/** Settings of a Repository, the same for the same seed. */
function randomSettings(seed: number, workspace: string): Settings {
  const random = seededRandom(seed * 7919);
  const pick = <T>(...items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];
  return {
    spec: {
      workspaces: pick([workspace], ["fleet-*"], ["*"], ["elsewhere"]),
      ...pick<Partial<RepositorySpec>>({}, { paths: ["/clusters", "/rules"] }, { paths: ["*.yaml"] }),
      ...pick<Partial<RepositorySpec>>({}, { policies: "Warn" }, { policies: "Enforce" }),
      ...pick<Partial<RepositorySpec>>({}, { deletionBudget: { percent: 1 } }, { deletionBudget: { percent: 60 } }),
    },
    ...pick<Partial<Settings>>({}, {}, { workspaceLimit: [workspace] }, { workspaceLimit: ["none-*"] }),
  };
}

let hub: HubUnderTest;
beforeAll(async () => {
  hub = await readyHub();
});
afterAll(() => hub.stop());

/** Names of what is on the hub, and of what leaves it, with the generation that shows a change of spec. */
async function readHub({ api, workspace }: DaemonSession): Promise<ReadonlyMap<string, number>> {
  const present = new Map<string, number>();
  for (const type of types) {
    for (const { metadata } of (await api.list(type, { namespace: workspace })).items) {
      if (metadata.annotations?.[annotationKeys.leave] === undefined && metadata.deletionTimestamp === undefined)
        present.set(`${type.kind}/${metadata.name}`, metadata.generation ?? 0);
    }
  }
  return present;
}

function namesOf({ changes }: PlanReport, ...actions: readonly string[]): string[] {
  return changes
    .filter(({ action }) => actions.includes(action))
    .map(({ kind, name }) => `${kind}/${name}`)
    .sort();
}

function formerPlaces({ changes }: PlanReport): string[] {
  return changes
    .flatMap(({ hubWork }) => hubWork?.deletes ?? [])
    .filter(({ kind }) => kind === "Cluster")
    .map(({ name }) => `Cluster/${name}`);
}

/** What a plan lists and a run does, in the same form. */
function planned(report: PlanReport) {
  return {
    made: namesOf(report, "Create", "Move"),
    // The place that a cluster leaves is removed at once where no agent has to follow.
    removed: [...new Set([...namesOf(report, "Leave", "Delete"), ...formerPlaces(report)])].sort(),
    withheld: report.counts.withheld,
    errors: report.counts.errors,
  };
}

/** A kubeconfig of this very hub: agents are installed into it, each in a namespace of its own. */
async function makeKubeconfigSecret({ api, workspace }: DaemonSession, name: string): Promise<void> {
  const data = { value: Buffer.from(hub.kubeconfig).toString("base64") };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: workspace }, data };
  await api.create(secret, { fieldManager: "test" });
}

async function untilAtRest(session: DaemonSession): Promise<void> {
  await until(
    async () => isHubAtRest(session.api, session.workspace),
    (isAtRest) => isAtRest,
  );
  await session.whenIdle();
}

async function planBoth(session: DaemonSession, head: string) {
  const url = session.repository.path;
  const access = { url, cacheDir: `${url}.plans`, isLocalAllowed: true, clock: realClock, random: realRandom };
  const git = await openGitEngine(access);
  try {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    const repository = (await session.api.get(ref)) as Repository;
    const nowMs = realClock.nowMs();
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const parsedFiles = await openParseCache(`${url}.parsed`);
    const inputs = { hubApi: session.api, git, head, repository, parsedFiles, isDryRun: false, nowMs, signal };
    const online = await planAgainstHub(inputs);
    expect(await planAgainstHub(inputs), "with what the first plan parsed").toEqual(online);
    const records = await readStatusBranch(git, (await git.fetchHead("rollcall/status")) ?? "");
    const place = { namespace: "none", name: "none", base: undefined, nowMs };
    return {
      online,
      offline: await planAgainstRecords({ git, head, records, ...place, rehearse: rehearseOnRecords(signal) }),
    };
  } finally {
    await git.close();
  }
}

describe("plan, online and offline, beside run, for repositories and settings made by a generator", () => {
  it.each(seeds)("names what run does (seed %i)", async (seed) => {
    const session = await openDaemonSession({ ...hub, stop: () => Promise.resolve() });
    try {
      const fleet = createRandomFleet(seed, { isWide: true });
      for (const index of [0, 1]) await makeKubeconfigSecret(session, `kubeconfig-${index}`);
      const files = { ...fleet.next().files, ...(seed % 3 === 0 ? { "policies/p.yaml": policy } : {}) };
      await session.repository.commit({ files });
      const { spec, workspaceLimit } = randomSettings(seed, session.workspace);
      await session.startDaemon({ spec, serves, ...(workspaceLimit ? { workspaceLimit } : {}) });
      await session.settle();
      await untilAtRest(session);
      const head = await session.repository.commit(fleet.next());
      const before = await readHub(session);
      const childrenBefore = await readHubChildren(session.api, session.workspace);
      const { online, offline } = await planBoth(session, head);
      const report = await session.settle();
      await untilAtRest(session);
      const after = await readHub(session);
      const done = {
        made: [...after.keys()].filter((name) => !before.has(name)).sort(),
        removed: [...before.keys()].filter((name) => !after.has(name)).sort(),
        withheld: report.withheldCount,
        errors: report.errorCount,
      };
      expect(planned(online)).toEqual(done);
      expect(planned(offline)).toEqual(done);
      const children = async () =>
        compareHubChildren(childrenBefore, await readHubChildren(session.api, session.workspace));
      await expect.poll(children).toEqual(plannedHubChildren(online));
      expect(plannedHubChildren(offline), "offline").toEqual(await children());
    } finally {
      await session.close();
    }
  });
});
