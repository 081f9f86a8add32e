import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { RunReport } from "../../../src/reconcile/reconciler-options.ts";
import { createRun } from "../../../src/reconcile/run-once.ts";
import type { RunReason } from "../../../src/reconcile/run-scope.ts";
import { StatusRecorder } from "../../../src/reconcile/status-recorder.ts";
import { StatusBranch } from "../../../src/reconcile/write-back.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { createMemoryGit } from "./removals/memory-git.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

const file =
  "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: fleet, labels: {tier: gold}}\n";

/** Runs on a hub and a repository of one Cluster in memory. `readMs`: how long a read of the branch takes; `reportMs`: the report. */
function openRun(spec: Partial<Repository["spec"]> = {}, { readMs = 0, reportMs = 0, isProposing = false } = {}) {
  const git = createMemoryGit();
  git.commit({ "a.yaml": file }, "First\n");
  const hub = createMemoryHub();
  const writeBack = { mode: "None" as const };
  hub.put({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "system" },
    spec: { url: "memory", workspaces: ["fleet"], writeBack, ...spec },
  });
  const scene = { isThere: true, isAway: false, isHubKnown: false, onRead: () => undefined as void };
  const readRepository = (): Repository => hub.objects(resourceTypes.repository)[0] as unknown as Repository;
  const clock = createManualClock();
  const view = hub.openView();
  const reports: RunReport[] = [];
  let reads = 0;
  const run = createRun(
    {
      hubApi: hub.api,
      view,
      git: {
        ...git,
        fetchHead: (branch) => {
          reads += 1;
          clock.range(readMs);
          scene.onRead();
          return scene.isAway ? Promise.reject(new AppError("E_GIT_REMOTE", "timeout")) : git.fetchHead(branch);
        },
      },
      planner: createRepositoryPlanner({
        git,
        source: sourceOptions(() => undefined),
        checkFleet: fleetChecker("system"),
        observed: view,
        rememberedLabels: () => undefined,
        nowMs: () => clock.nowMs(),
      }),
      ...(isProposing ? { pendingProposals: () => [] } : {}),
      hubFacts: () => {
        if (scene.isHubKnown) return { hubId: "hub-1" } as never;
        throw new AppError("E_BUG", "nothing is written back");
      },
      readRepository: () => (scene.isThere ? readRepository() : undefined),
      recordRepository: () => readRepository(),
      clock,
      random: fixedRandom(0.5),
      log: silentLog,
      onRun: (report) => {
        reports.push(report);
        clock.range(reportMs);
      },
    },
    { statusBranch: new StatusBranch(git), recorder: new StatusRecorder(view) },
  );
  const clusters = () => hub.objects(resourceTypes.cluster);
  /** Another program changes the label of the Cluster. */
  const changeLabel = (): void => {
    const [cluster] = clusters();
    if (!cluster) throw new Error("the cluster is there");
    hub.put({ ...cluster, metadata: { ...cluster.metadata, labels: { ...cluster.metadata.labels, tier: "other" } } });
    view.recordWritten(resourceTypes.cluster, clusters()[0] ?? cluster);
  };
  /** A person asks for a run. */
  const request = (requestedAt: string): void => {
    const { metadata, ...rest } = readRepository();
    const annotations = { ...metadata.annotations, "rollcall.dev/requested-at": requestedAt };
    hub.put({ ...rest, metadata: { ...metadata, annotations } });
  };
  const writeBackCondition = () => readRepository().status?.conditions?.find(({ type }) => type === "WriteBackReady");
  const handled = () => readRepository().status?.lastHandledRequest;
  const runFor = (reason: RunReason = "read") => run(reason, new AbortController().signal);
  return {
    runFor,
    scene,
    reports,
    clusters,
    changeLabel,
    clock,
    reads: () => reads,
    request,
    handled,
    writeBackCondition,
  };
}

describe("a run", () => {
  it.each<[string, Partial<Repository["spec"]>, boolean]>([
    ["suspended", { suspend: true }, true],
    ["deleted", {}, false],
  ])("does nothing for a Repository that is %s", async (_reason, spec, isThere) => {
    const { runFor, scene, reports, reads } = openRun(spec);
    scene.isThere = isThere;
    expect([await runFor(), reads(), reports]).toEqual([undefined, 0, []]);
  });

  it("makes the hub follow the branch, and only reports when that is what it is for", async () => {
    const { runFor, clusters, changeLabel, reads } = openRun({ suspend: false });
    expect(await runFor()).toBeUndefined();
    changeLabel();
    await runFor("report");
    expect([reads(), clusters()[0]?.metadata.labels?.["tier"]]).toEqual([1, "other"]);
    await runFor();
    expect([reads(), clusters()[0]?.metadata.labels?.["tier"]]).toEqual([2, "gold"]);
  });

  it("follows the branch for a report, too, while it is not known what is to be done", async () => {
    const { runFor, scene, clusters, reads } = openRun();
    scene.isAway = true;
    await expect(runFor()).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    scene.isAway = false;
    await runFor("report");
    expect([reads(), clusters()]).toMatchObject([2, [{ metadata: { name: "a" } }]]);
  });

  it("keeps what it read for the next run, also when it fails", async () => {
    const { runFor, scene, reports } = openRun();
    await runFor();
    scene.isAway = true;
    await expect(runFor()).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    scene.isAway = false;
    await runFor();
    expect(reports.map(({ parsedCount, commit }) => [parsedCount, commit === reports[0]?.commit])).toEqual([
      [1, true],
      [1, true],
      [0, true],
    ]);
  });

  it("reports that proposing failed until it succeeds, also in runs that only report", async () => {
    const { runFor, scene, writeBackCondition } = openRun({}, { isProposing: true });
    for (const reason of ["read", "report", "read"] as const) {
      await runFor(reason);
      expect([reason, writeBackCondition()]).toMatchObject([reason, { status: "False", reason: "PushFailed" }]);
    }
    scene.isHubKnown = true;
    await runFor();
    expect(writeBackCondition()).toMatchObject({ status: "True" });
  });

  it("measures each phase", async () => {
    const { runFor, reports } = openRun({}, { readMs: 5 });
    await runFor();
    expect(reports[0]?.phasesMs).toEqual({ read: 5, plan: 0, execute: 0, propose: 0, writeBack: 0 });
    expect(reports[0]?.durationMs).toBe(5);
    await runFor("report");
    expect(reports[1]?.phasesMs).toEqual({ writeBack: 0 });
  });
});

describe("a request of a run", () => {
  it("is not handled by a run that had read the branch before: what was pushed since is not there", async () => {
    const { runFor, scene, request, handled } = openRun();
    request("first");
    scene.onRead = () => request("second");
    await runFor();
    expect(handled()).toBe("first");
    scene.onRead = () => undefined;
    await runFor();
    expect(handled()).toBe("second");
  });

  it("is not handled by a run that reads no branch", async () => {
    const { runFor, request, handled } = openRun();
    await runFor();
    request("first");
    await runFor("report");
    expect(handled()).toBeUndefined();
    await runFor();
    expect(handled()).toBe("first");
  });

  it("is handled by a run that could not read the branch, whose status has the reason", async () => {
    const { runFor, scene, request, handled } = openRun();
    await runFor();
    request("first");
    scene.isAway = true;
    await expect(runFor()).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    expect(handled()).toBe("first");
  });
});

describe("the next run", () => {
  /** Lets another program change the label as often as makes a fight. */
  async function fight({ runFor, changeLabel }: ReturnType<typeof openRun>) {
    await runFor();
    let nextInMs: number | undefined;
    for (let revert = 0; revert < 3; revert += 1) {
      changeLabel();
      nextInMs = await runFor();
    }
    return nextInMs;
  }

  it.each<[string, Partial<Repository["spec"]>, number]>([
    ["that a field may be reverted again", {}, 30_000],
    ["that is earlier than the status branch is written", { writeBack: { interval: "5m" } }, 30_000],
    ["that is later than the status branch is written", { writeBack: { interval: "10s" } }, 10_000],
  ])("is due at the time %s", async (_reason, spec, nextInMs) => {
    expect(await fight(openRun(spec))).toBe(nextInMs);
  });

  it("is due at once when the time to revert again came after the plan, before the run ended", async () => {
    const world = openRun({}, { reportMs: 2 });
    await fight(world);
    world.changeLabel();
    world.clock.range(29_997);
    expect(await world.runFor()).toBe(0);
    expect(world.clusters()[0]?.metadata.labels?.["tier"]).toBe("other");
    await world.runFor();
    expect(world.clusters()[0]?.metadata.labels?.["tier"]).toBe("gold");
  });

  it("reads no branch for a report while a fight waits, and does when its time has come", async () => {
    const world = openRun();
    await fight(world);
    world.changeLabel();
    expect(await world.runFor()).toBe(30_000);
    const before = world.reads();
    expect(await world.runFor("report")).toBe(30_000);
    expect([world.reads() - before, world.clusters()[0]?.metadata.labels?.["tier"]]).toEqual([0, "other"]);
    world.clock.range(30_000);
    await world.runFor("report");
    expect([world.reads() - before, world.clusters()[0]?.metadata.labels?.["tier"]]).toEqual([1, "gold"]);
  });

  it("is due when the status branch is written next", async () => {
    expect(await openRun({ writeBack: { interval: "10s" } }).runFor()).toBe(10_000);
  });
});
