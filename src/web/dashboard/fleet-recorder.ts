import type { Clock } from "../../core/clock.ts";
import type { ClusterRow, FleetHistory } from "../../model/generated/page-api.ts";

const stepMs = 60_000;
/** A day. */
const mostSamples = 24 * 60;
const mostCommits = 500;

interface Sample {
  readonly time: number;
  readonly ready: number;
  readonly notReady: number;
  readonly unknown: number;
}

/** Counts clusters by state once a minute and keeps a day of it, in memory. */
export class FleetRecorder {
  readonly #clock: Clock;
  #history: Omit<FleetHistory, "commits"> = { times: [], ready: [], notReady: [], unknown: [] };
  readonly #commits: FleetHistory["commits"] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts until the signal is aborted. */
  async run(rows: () => readonly ClusterRow[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#sample(this.#count(rows()));
      await this.#clock.sleep(stepMs, signal).catch(() => undefined); // aborted: the only reason for sleep to reject
    }
  }

  /** A commit whose every effect is on the hub. */
  noteCommit(commit: string, { appliedAtMs, tookMs }: { readonly appliedAtMs: number; readonly tookMs: number }): void {
    if (this.#commits.at(-1)?.commit === commit) return;
    this.#commits.push({ commit, time: Math.round(appliedAtMs / 1000), seconds: Math.max(0, tookMs) / 1000 });
    if (this.#commits.length > mostCommits) this.#commits.shift();
  }

  /** The history, with how it is now as its last point. */
  read(rows: readonly ClusterRow[]): FleetHistory {
    const { times, ready, notReady, unknown } = this.#history;
    const now = this.#count(rows);
    return {
      times: [...times, now.time],
      ready: [...ready, now.ready],
      notReady: [...notReady, now.notReady],
      unknown: [...unknown, now.unknown],
      commits: [...this.#commits],
    };
  }

  #sample({ time, ready, notReady, unknown }: Sample): void {
    const push = (list: readonly number[], value: number): number[] => [...list.slice(1 - mostSamples), value];
    this.#history = {
      times: push(this.#history.times, time),
      ready: push(this.#history.ready, ready),
      notReady: push(this.#history.notReady, notReady),
      unknown: push(this.#history.unknown, unknown),
    };
  }

  #count(rows: readonly ClusterRow[]): Sample {
    const counts = { ready: 0, notReady: 0, unknown: 0, leaving: 0 };
    for (const { state } of rows) counts[state] += 1;
    return { time: Math.round(this.#clock.nowMs() / 1000), ...counts, notReady: counts.notReady + counts.leaving };
  }
}
