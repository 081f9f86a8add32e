import type { Clock } from "../../core/clock.ts";
import type {
  ClusterRow,
  ClusterState,
  FleetHistory,
  StateCount,
  StateSeries,
} from "../../model/generated/page-api.ts";
import type { RunNumbers } from "../metrics.ts";
import { countStates, sortStates } from "../../model/count-states.ts";

const stepMs = 60_000;
/** A day. */
const mostSamples = 24 * 60;
const mostCommits = 500;

type AppliedRun = Pick<RunNumbers, "commit" | "committedAtMs" | "isApplied" | "appliedBefore">;

interface Sample {
  /** Seconds since 1970. */
  readonly time: number;
  readonly states: readonly StateCount[];
}

/** Counts clusters by state once a minute and keeps a day of it, in memory. */
export class FleetRecorder {
  readonly #clock: Clock;
  readonly #samples: Sample[] = [];
  readonly #commits: FleetHistory["commits"] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts until the signal is aborted. */
  async run(rows: () => readonly ClusterRow[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const sample = this.#count(rows());
      // The clock may have been set back: an axis of time never falls.
      while ((this.#samples.at(-1)?.time ?? -Infinity) > sample.time) this.#samples.pop();
      this.#samples.push(sample);
      if (this.#samples.length > mostSamples) this.#samples.shift();
      await this.#clock.sleep(stepMs, signal).catch(() => undefined); // aborted: the only reason for sleep to reject
    }
  }

  /** Takes the commit of a run that has applied it. As in the metrics, the first one of all counts not: it may be years old. */
  recordRun({ commit, committedAtMs, isApplied, appliedBefore }: AppliedRun): void {
    if (commit === undefined || committedAtMs === undefined || !isApplied) return;
    if (appliedBefore === undefined || commit === appliedBefore) return;
    const nowMs = this.#clock.nowMs();
    this.recordCommit(commit, { appliedAtMs: nowMs, tookMs: nowMs - committedAtMs });
  }

  /** A commit whose every effect is on the hub. */
  recordCommit(
    commit: string,
    { appliedAtMs, tookMs }: { readonly appliedAtMs: number; readonly tookMs: number },
  ): void {
    if (this.#commits.at(-1)?.commit === commit) return;
    this.#commits.push({ commit, time: Math.round(appliedAtMs / 1000), seconds: Math.max(0, tookMs) / 1000 });
    if (this.#commits.length > mostCommits) this.#commits.shift();
  }

  /** The history, with how it is now as its last point. */
  read(rows: readonly ClusterRow[]): FleetHistory {
    const present = this.#count(rows);
    const samples = [...this.#samples.filter(({ time }) => time <= present.time), present];
    const total = (...signs: readonly ClusterState[]): number[] =>
      samples.map(({ states }) =>
        states.reduce((sum, { state, count }) => (signs.includes(state) ? sum + count : sum), 0),
      );
    return {
      times: samples.map(({ time }) => time),
      ready: total("ready"),
      notReady: total("notReady", "leaving"),
      unknown: total("unknown"),
      states: seriesOf(samples),
      commits: this.#commits.toSorted((left, right) => left.time - right.time),
    };
  }

  #count(rows: readonly ClusterRow[]): Sample {
    return { time: Math.round(this.#clock.nowMs() / 1000), states: countStates(rows) };
  }
}

/** The counts of each state that occurs in a sample. */
function seriesOf(samples: readonly Sample[]): StateSeries[] {
  const largest = new Map<string, StateCount>();
  for (const { states } of samples) {
    for (const count of states) {
      if ((largest.get(count.phase)?.count ?? 0) < count.count) largest.set(count.phase, count);
    }
  }
  return sortStates([...largest.values()]).map(({ phase, state }) => ({
    phase,
    state,
    counts: samples.map(({ states }) => states.find((count) => count.phase === phase)?.count ?? 0),
  }));
}
