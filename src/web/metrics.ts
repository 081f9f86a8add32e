import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { Clock } from "../core/clock.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository } from "../model/generated/repository.ts";
import { ShortMemory } from "../core/short-memory.ts";
import type { WebRoute } from "./web.ts";

/** The values that are read when a client requests the metrics. */
export interface MetricsSource {
  readonly version: string;
  readonly clusters: () => readonly Cluster[];
  readonly repository: () => Repository | undefined;
  /** Requests to the hub so far, by verb. */
  readonly requestCounts: ReadonlyMap<string, number>;
  readonly queues: () => ReadonlyMap<string, QueueNumbers>;
  /** By Lease: whether this process leads. */
  readonly leads: () => ReadonlyMap<string, boolean>;
  /** When (clock ms) each live credential ends that the hub renews by itself, by kind. */
  readonly credentialExpiries: () => Readonly<Record<"cluster" | "token", readonly number[]>>;
}

/** Keys of one queue: waiting and worked on now, done and failed so far. */
export interface QueueNumbers {
  readonly waiting: number;
  readonly active: number;
  readonly done: number;
  readonly failed: number;
}

/** A run as it is counted. */
export interface RunNumbers {
  readonly commit: string | undefined;
  readonly committedAtMs: number | undefined;
  readonly isApplied: boolean;
  /** The applied commit before the run; undefined when there was none. */
  readonly appliedBefore: string | undefined;
  readonly statusCommit: string | undefined;
  readonly statusCommitBefore: string | undefined;
  readonly planSizes: Readonly<Record<string, number>>;
  readonly failedCount: number;
  readonly withheldCount: number;
  readonly failure: unknown;
  readonly durationMs: number;
  readonly phasesMs: Readonly<Record<string, number>>;
  readonly finishedAtMs: number;
}

export interface Metrics {
  /** Counts a run. Latencies are taken once per commit, and only of commits that came while there was an applied one. */
  recordRun(run: RunNumbers): void;
  text(): Promise<string>;
  readonly route: WebRoute;
}

const latencyBuckets = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];
const phaseBuckets = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60];
const planBuckets = [0, 1, 2, 5, 10, 25, 50, 100, 250, 1000, 5000, 20_000];

/** One text for all who ask within this time: it is made of the whole fleet, and who asks needs no credential. */
const keptMs = 1_000;

/** The metrics of this process, in a registry of their own. Names follow Prometheus' rules: base units, `_total` for counters. */
export function createMetrics(source: MetricsSource, clock: Clock): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  registerFleet(source, registers);
  registerProcess(source, registers);
  const recordRun = registerRuns(registers);
  const text = (): Promise<string> => registry.metrics();
  const shared = new ShortMemory<string>(clock, { keptMs, most: 1 });
  return {
    recordRun,
    text,
    route: {
      method: "GET",
      path: "/metrics",
      answer: async () => ({ contentType: registry.contentType, body: await shared.recall("", text) }),
    },
  };
}

function registerRuns(registers: Registry[]): (run: RunNumbers) => void {
  const runs = new Counter({
    name: "rollcall_runs_total",
    help: "Runs of the reconciler, by what came of them.",
    labelNames: ["result"],
    registers,
  });
  for (const result of ["applied", "incomplete", "failed"]) runs.inc({ result }, 0);
  const duration = new Histogram({
    name: "rollcall_run_duration_seconds",
    help: "How long a run took.",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300],
    registers,
  });
  const planSize = new Histogram({
    name: "rollcall_plan_changes",
    help: "Changes of one plan.",
    buckets: planBuckets,
    registers,
  });
  const phases = new Histogram({
    name: "rollcall_run_phase_seconds",
    help: "What each phase of a run took: read, plan, execute, writeBack.",
    labelNames: ["phase"],
    buckets: phaseBuckets,
    registers,
  });
  const changes = new Counter({
    name: "rollcall_changes_total",
    help: "Changes that plans wanted on the hub, by kind.",
    labelNames: ["kind"],
    registers,
  });
  const failures = new Counter({
    name: "rollcall_failed_changes_total",
    help: "Changes that the hub refused or did not answer; they are tried again.",
    registers,
  });
  const applied = new Histogram({
    name: "rollcall_commit_applied_seconds",
    help: "From the time of a commit until its every effect was on the hub.",
    buckets: latencyBuckets,
    registers,
  });
  const recorded = new Histogram({
    name: "rollcall_commit_status_seconds",
    help: "From the time of a commit until the status commit that reports it was pushed.",
    buckets: latencyBuckets,
    registers,
  });
  const awaited = { commit: undefined as string | undefined };
  return (run) => {
    runs.inc({ result: run.failure !== undefined ? "failed" : run.isApplied ? "applied" : "incomplete" });
    duration.observe(run.durationMs / 1000);
    for (const [phase, durationMs] of Object.entries(run.phasesMs)) phases.observe({ phase }, durationMs / 1000);
    planSize.observe(Object.values(run.planSizes).reduce((sum, count) => sum + count, 0));
    for (const [kind, count] of Object.entries(run.planSizes)) changes.inc({ kind }, count);
    failures.inc(run.failedCount);
    const { commit, committedAtMs } = run;
    if (commit === undefined || committedAtMs === undefined) return;
    // A committer's clock may be ahead of this one.
    const latencySeconds = Math.max(0, run.finishedAtMs - committedAtMs) / 1000;
    const isNews = run.appliedBefore !== undefined && run.appliedBefore !== commit;
    if (isNews && run.isApplied) {
      applied.observe(latencySeconds);
      awaited.commit = commit;
    }
    if (awaited.commit !== commit || run.statusCommit === undefined) return;
    if (run.statusCommit === run.statusCommitBefore) return;
    recorded.observe(latencySeconds);
    awaited.commit = undefined;
  };
}

function registerFleet(source: MetricsSource, registers: Registry[]): void {
  new Gauge({
    name: "rollcall_clusters",
    help: "Clusters by condition and its status.",
    labelNames: ["condition", "status"],
    registers,
    collect() {
      this.reset();
      for (const { status } of source.clusters()) {
        for (const condition of status?.conditions ?? []) {
          this.inc({ condition: condition.type, status: condition.status });
        }
      }
    },
  });
  new Gauge({
    name: "rollcall_fleet_size",
    help: "Clusters on the hub.",
    registers,
    collect() {
      this.set(source.clusters().length);
    },
  });
  new Gauge({
    name: "rollcall_repository_condition",
    help: "1 where the Repository's condition has this status.",
    labelNames: ["condition", "status"],
    registers,
    collect() {
      this.reset();
      for (const { type, status } of source.repository()?.status?.conditions ?? []) {
        this.set({ condition: type, status }, 1);
      }
    },
  });
  new Gauge({
    name: "rollcall_repository_problems",
    help: "Problems in the files of the branch's head, by severity.",
    labelNames: ["severity"],
    registers,
    collect() {
      const problems = source.repository()?.status?.problems;
      this.set({ severity: "error" }, problems?.errors ?? 0);
      this.set({ severity: "warning" }, problems?.warnings ?? 0);
    },
  });
  new Gauge({
    name: "rollcall_withheld_removals",
    help: "Removals that wait for an approval.",
    registers,
    collect() {
      this.set(source.repository()?.status?.withheld?.count ?? 0);
    },
  });
  new Gauge({
    name: "rollcall_credential_expiry_timestamp_seconds",
    help: "When the credential that ends first ends, of clusters and of registration tokens.",
    labelNames: ["kind"],
    registers,
    collect() {
      this.reset();
      for (const [kind, times] of Object.entries(source.credentialExpiries())) {
        const first = times.reduce((earliest, time) => Math.min(earliest, time), Infinity);
        if (Number.isFinite(first)) this.set({ kind }, first / 1000);
      }
    },
  });
}

function registerProcess(source: MetricsSource, registers: Registry[]): void {
  new Gauge({ name: "rollcall_build_info", help: "Always 1.", labelNames: ["version"], registers }).set(
    { version: source.version },
    1,
  );
  new Gauge({
    name: "rollcall_leader",
    help: "1 while this process holds the Lease.",
    labelNames: ["lease"],
    registers,
    collect() {
      this.reset();
      for (const [lease, isLeading] of source.leads()) this.set({ lease }, isLeading ? 1 : 0);
    },
  });
  new Counter({
    name: "rollcall_hub_requests_total",
    help: "Requests to the hub's API server, by verb.",
    labelNames: ["verb"],
    registers,
    collect() {
      this.reset();
      for (const [verb, count] of source.requestCounts) this.inc({ verb }, count);
    },
  });
  new Gauge({
    name: "rollcall_queue_keys",
    help: "Keys that wait or are worked on.",
    labelNames: ["queue", "state"],
    registers,
    collect() {
      this.reset();
      for (const [queue, { waiting, active }] of source.queues()) {
        this.set({ queue, state: "waiting" }, waiting);
        this.set({ queue, state: "active" }, active);
      }
    },
  });
  new Counter({
    name: "rollcall_queue_work_total",
    help: "Keys that were worked on, by what came of it.",
    labelNames: ["queue", "result"],
    registers,
    collect() {
      this.reset();
      for (const [queue, { done, failed }] of source.queues()) {
        this.inc({ queue, result: "done" }, done);
        this.inc({ queue, result: "failed" }, failed);
      }
    },
  });
}
