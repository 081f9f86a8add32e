import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { MetricsSource, RunNumbers } from "../../../src/web/metrics.ts";
import { createMetrics } from "../../../src/web/metrics.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const lastTransitionTime = "2026-01-01T00:00:00Z";

function clusterWith(ready: "True" | "False"): Cluster {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "fleet" },
    status: { conditions: [{ type: "Ready", status: ready, reason: "R", message: "m", lastTransitionTime }] },
  };
}

const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "rollcall-system" },
  spec: { url: "https://git.example.com/fleet" },
  status: {
    conditions: [{ type: "Ready", status: "False", reason: "R", message: "m", lastTransitionTime }],
    problems: { errors: 2, warnings: 1 },
  },
};

const source: MetricsSource = {
  version: "1.2.3",
  clusters: () => [clusterWith("True"), clusterWith("True"), clusterWith("False")],
  repository: () => repository,
  requestCounts: new Map([
    ["get", 3],
    ["apply", 5],
  ]),
  queues: () => new Map([["members", { waiting: 1, active: 2, done: 30, failed: 4 }]]),
  leads: () => new Map([["rollcall-hub", true]]),
  credentialExpiries: () => ({ cluster: [9_000, 4_000], token: [] }),
};

const committedAtMs = 1_000_000;
const run: RunNumbers = {
  commit: "b",
  committedAtMs,
  isApplied: true,
  appliedBefore: "a",
  statusCommit: "s2",
  statusCommitBefore: "s1",
  planSizes: { create: 2, update: 1 },
  failedCount: 0,
  withheldCount: 0,
  failure: undefined,
  phasesMs: { read: 20, plan: 300 },
  durationMs: 250,
  finishedAtMs: committedAtMs + 3000,
};

async function linesOf(runs: readonly RunNumbers[], from = source): Promise<readonly string[]> {
  const metrics = createMetrics(from, createManualClock());
  for (const one of runs) metrics.recordRun(one);
  return (await metrics.text()).split("\n");
}

describe("metrics", () => {
  it("show the fleet, the queues, the hub's requests and the leader as they are when asked", async () => {
    expect(await linesOf([])).toEqual(
      expect.arrayContaining([
        'rollcall_clusters{condition="Ready",status="True"} 2',
        'rollcall_clusters{condition="Ready",status="False"} 1',
        "rollcall_fleet_size 3",
        'rollcall_repository_condition{condition="Ready",status="False"} 1',
        'rollcall_repository_problems{severity="error"} 2',
        'rollcall_credential_expiry_timestamp_seconds{kind="cluster"} 4',
        'rollcall_hub_requests_total{verb="apply"} 5',
        'rollcall_queue_keys{queue="members",state="waiting"} 1',
        'rollcall_queue_work_total{queue="members",result="failed"} 4',
        'rollcall_leader{lease="rollcall-hub"} 1',
        'rollcall_build_info{version="1.2.3"} 1',
      ]),
    );
  });

  it("show no queue that has ended, as when another process leads", async () => {
    const queue = { waiting: 5, active: 1, done: 3, failed: 0 };
    const queues = new Map([["repository", queue]]);
    const metrics = createMetrics({ ...source, queues: () => queues }, createManualClock());
    expect(await metrics.text()).toContain('rollcall_queue_keys{queue="repository",state="waiting"} 5');
    queues.clear();
    expect(await metrics.text()).not.toContain('queue="repository"');
  });

  it("show no Lease of a Repository that was removed", async () => {
    const leads = new Map([
      ["rollcall-hub", true],
      ["rollcall-repository-labs", true],
    ]);
    const metrics = createMetrics({ ...source, leads: () => leads }, createManualClock());
    expect(await metrics.text()).toContain('rollcall_leader{lease="rollcall-repository-labs"} 1');
    leads.delete("rollcall-repository-labs");
    expect(await metrics.text()).not.toContain("rollcall-repository-labs");
    expect(await metrics.text()).toContain('rollcall_leader{lease="rollcall-hub"} 1');
  });

  it("report what each phase of a run took", async () => {
    expect(await linesOf([run])).toEqual(
      expect.arrayContaining([
        'rollcall_run_phase_seconds_sum{phase="read"} 0.02',
        'rollcall_run_phase_seconds_sum{phase="plan"} 0.3',
      ]),
    );
  });

  it("count runs by what came of them, and the changes that they wanted and could not make", async () => {
    const incomplete = { ...run, isApplied: false, failedCount: 3 };
    const failed = { ...run, isApplied: false, failure: new Error("no"), failedCount: 1, durationMs: 500 };
    expect(await linesOf([run, incomplete, incomplete, failed])).toEqual(
      expect.arrayContaining([
        'rollcall_runs_total{result="applied"} 1',
        'rollcall_runs_total{result="incomplete"} 2',
        'rollcall_runs_total{result="failed"} 1',
        'rollcall_changes_total{kind="update"} 4',
        "rollcall_failed_changes_total 7",
        "rollcall_plan_changes_sum 12",
        "rollcall_run_duration_seconds_sum 1.25",
      ]),
    );
  });

  it("count the same twice when they are asked twice", async () => {
    const metrics = createMetrics(source, createManualClock());
    const counted = async (): Promise<string[]> =>
      (await metrics.text()).split("\n").filter((line) => line.startsWith("rollcall_"));
    expect(await counted()).toEqual(await counted());
  });

  it("A110 are made once for all who ask within a second", async () => {
    let reads = 0;
    const clock = createManualClock();
    const clusters = () => {
      reads += 1;
      return source.clusters();
    };
    const { route } = createMetrics({ ...source, clusters }, clock);
    const request = { path: "/metrics", query: new URLSearchParams(), headers: {}, remoteAddress: undefined };
    const ask = async () => route.answer({ ...request, readBody: () => Promise.reject(new Error("no body")) });
    await ask();
    const once = reads;
    await Promise.all(Array.from({ length: 1000 }, ask));
    expect(reads).toBe(once);
    await clock.advance(1_000);
    await ask();
    expect(reads).toBe(2 * once);
  });

  it("take the latency of a commit once, to the hub and to the status commit", async () => {
    const lines = await linesOf([run, { ...run, appliedBefore: "b", statusCommitBefore: "s2", finishedAtMs: 9e9 }]);
    expect(lines).toEqual(
      expect.arrayContaining([
        "rollcall_commit_applied_seconds_count 1",
        "rollcall_commit_applied_seconds_sum 3",
        "rollcall_commit_status_seconds_count 1",
        'rollcall_runs_total{result="applied"} 2',
        'rollcall_changes_total{kind="create"} 4',
      ]),
    );
  });

  it("take the latency of a status commit that was pushed by a later run", async () => {
    const late = { ...run, appliedBefore: "b", finishedAtMs: committedAtMs + 60_000 };
    const lines = await linesOf([{ ...run, statusCommit: undefined }, late]);
    expect(lines).toContain("rollcall_commit_status_seconds_sum 60");
  });

  it.each<readonly [Partial<RunNumbers>, string]>([
    [{ appliedBefore: undefined }, "the first commit of all may be years old"],
    [{ appliedBefore: "b" }, "a restart finds it applied"],
    [{ isApplied: false }, "it is not applied yet"],
  ])("take no latency with %o: %s", async (change, _reason) => {
    expect(await linesOf([{ ...run, ...change }])).toContain("rollcall_commit_applied_seconds_count 0");
  });

  it("count a committer's clock that is ahead as no time at all", async () => {
    expect(await linesOf([{ ...run, finishedAtMs: committedAtMs - 5000 }])).toContain(
      "rollcall_commit_applied_seconds_sum 0",
    );
  });

  it("are apart from those of another instance", async () => {
    createMetrics(source, createManualClock()).recordRun(run);
    expect(await linesOf([])).toContain('rollcall_runs_total{result="applied"} 0');
  });

  it("keep to the naming rules: a unit in the name, _total on counters alone, a help text each", async () => {
    const lines = await linesOf([run]);
    const types = lines.filter((line) => line.startsWith("# TYPE rollcall_"));
    expect(types.length).toBeGreaterThan(12);
    for (const line of types) {
      const [, , name = "", type] = line.split(" ");
      expect(name).toMatch(/^rollcall_[a-z_]+$/u);
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(lines.some((help) => help.startsWith(`# HELP ${name} `) && help.endsWith("."))).toBe(true);
    }
  });
});
