import type { Clock } from "../core/clock.ts";
import type { BeatState } from "../planning/cluster-status.ts";

export interface HealthOptions {
  readonly clock: Clock;
  /** Called when a member turns from alive to silent or back, and at its first beat. */
  readonly onTurn: (memberKey: string) => void;
  /** Since when (clock ms) beats cannot be seen because the hub is away; undefined while they can. */
  readonly blindSinceMs: () => number | undefined;
}

interface Watched {
  marker: string | undefined;
  /** When a changed marker was last seen, by the hub's clock. */
  beatAtMs: number | undefined;
  /** From when on silence counts. */
  sinceMs: number;
  windowMs: number;
  turned: BeatState["kind"];
}

/** How often it is looked whether beats can be seen at all. */
const tickMs = 1000;

/** A tick later than this means that the process was suspended, or that its machine was. */
const lateMs = 2000;

/**
 * The one timer that judges whether agents are alive. A beat is a *changed* marker (a Lease's renewal), seen by the hub's
 * own clock; agents' clocks judge nothing. A member is silent when its window (period times failureThreshold) went by
 * without a beat while the hub was watching all the time: after a start, an outage or a time in which this process was
 * suspended a whole window must be watched first.
 */
export class HealthTimer {
  readonly #options: HealthOptions;
  readonly #members = new Map<string, Watched>();
  readonly #stop = new AbortController();
  /** Times here are monotonic: who sets the machine's clock makes nobody unresponsive. */
  #watchingSinceMs: number;
  /** When the next tick is due. */
  #tickDueMs: number;
  #wasBlind = false;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#watchingSinceMs = options.clock.monotonicMs();
    this.#tickDueMs = this.#watchingSinceMs + tickMs;
    void this.#run();
  }

  /** Takes in what is seen of a member: its window, and the marker of its newest beat, if there is one. */
  observe(memberKey: string, windowMs: number, marker: string | undefined): void {
    const nowMs = this.#nowMs();
    const known = this.#members.get(memberKey);
    if (!known) {
      // The first marker may be old: only a change of it is a beat.
      this.#members.set(memberKey, { marker, beatAtMs: undefined, sinceMs: nowMs, windowMs, turned: "unwatched" });
      return;
    }
    known.windowMs = windowMs;
    if (marker === undefined || marker === known.marker) return;
    known.marker = marker;
    known.beatAtMs = nowMs;
    this.#judge(memberKey, known, nowMs);
  }

  /** An agent has come in: silence counts from now on, and what was not heard before it came is nothing. */
  begin(memberKey: string): void {
    const known = this.#members.get(memberKey);
    if (!known || known.beatAtMs !== undefined) return;
    known.sinceMs = this.#nowMs();
    known.turned = "unwatched";
  }

  forget(memberKey: string): void {
    this.#members.delete(memberKey);
  }

  stateOf(memberKey: string): BeatState {
    const known = this.#members.get(memberKey);
    if (!known) return { kind: "unwatched" };
    const nowMs = this.#nowMs();
    // Whoever sees a turn before the timer does writes it down: then the turn back must be told too.
    this.#judge(memberKey, known, nowMs);
    return this.#stateOf(known, nowMs);
  }

  /** When (monotonic ms) the last beat of this process's time was seen. */
  lastBeatMs(memberKey: string): number | undefined {
    return this.#members.get(memberKey)?.beatAtMs;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { clock, blindSinceMs } = this.#options;
    let sleepMs = tickMs;
    while (!this.#stop.signal.aborted) {
      this.#tickDueMs = this.#nowMs() + sleepMs;
      try {
        await clock.sleep(sleepMs, this.#stop.signal);
      } catch {
        return; // stopped: the only reason for sleep to reject
      }
      sleepMs = tickMs;
      const nowMs = this.#nowMs();
      const isBlind = blindSinceMs() !== undefined;
      if (isBlind || this.#wasBlind) this.#watchingSinceMs = nowMs;
      this.#wasBlind = isBlind;
      if (isBlind) continue;
      for (const [key, known] of this.#members) {
        this.#judge(key, known, nowMs);
        // A member's window ends when it ends, not at the next tick.
        const leftMs = this.#watchedFromMs(known) + known.windowMs + 1 - nowMs;
        if (leftMs > 0) sleepMs = Math.min(sleepMs, leftMs);
      }
    }
  }

  /**
   * The time now. When the tick is late, this process stood still and saw no heartbeat: windows start anew. Whoever asks
   * first after that finds it out, not only the tick.
   */
  #nowMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs > this.#tickDueMs + lateMs) {
      this.#watchingSinceMs = nowMs;
      this.#tickDueMs = nowMs;
    }
    return nowMs;
  }

  #judge(key: string, known: Watched, nowMs: number): void {
    const { kind } = this.#stateOf(known, nowMs);
    if (kind === known.turned) return;
    // A hub that was blind says nothing new until it has watched a window.
    if (kind === "unwatched") return;
    known.turned = kind;
    this.#options.onTurn(key);
  }

  #stateOf(known: Watched, nowMs: number): BeatState {
    const { beatAtMs, windowMs } = known;
    if (beatAtMs !== undefined && nowMs - beatAtMs <= windowMs) return { kind: "alive" };
    const watchedFromMs = this.#watchedFromMs(known);
    if (nowMs - watchedFromMs > windowMs) return { kind: "silent", forMs: nowMs - (beatAtMs ?? watchedFromMs) };
    // Within an outage's shadow the last word stands: who was silent before is not heard by it.
    if (known.turned === "silent") return { kind: "silent", forMs: nowMs - (beatAtMs ?? watchedFromMs) };
    return known.turned === "alive" ? { kind: "alive" } : { kind: "unwatched" };
  }
  /** From when on silence counts. */
  #watchedFromMs({ beatAtMs, sinceMs }: Watched): number {
    return Math.max(this.#watchingSinceMs, sinceMs, beatAtMs ?? 0);
  }
}
