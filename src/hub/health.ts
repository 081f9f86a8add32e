import type { Clock } from "../core/clock.ts";
import type { HeartbeatState } from "../planning/cluster-status-inputs.ts";
import { clockStepMs } from "./watched-time.ts";

export interface HealthOptions {
  readonly clock: Clock;
  /** Called when a member turns from alive to unresponsive or back, and at its first heartbeat. */
  readonly onTurn: (memberKey: string, kind: HeartbeatState["kind"]) => void;
  /** Since when (clock ms) heartbeats cannot be seen because the hub is away; undefined while they can. */
  readonly watchFailingSinceMs: () => number | undefined;
  /**
   * Called when the machine's clock and its timers diverge: the clock was set, or the machine slept. What waits for a
   * moment would come too late. Default: nothing.
   */
  readonly onClockStep?: () => void;
}

interface Watched {
  marker: string | undefined;
  /** When a changed marker was last seen, by the hub's clock. */
  heartbeatAtMs: number | undefined;
  /** From when on silence counts. */
  sinceMs: number;
  windowMs: number;
  turned: HeartbeatState["kind"];
}

/** Period of the check whether heartbeats can be seen at all. */
const tickMs = 1000;

/** Windows that end after one another are gathered: each check visits every member. */
const gatherMs = 100;

/** So long the hub has to be watched before an agent counts as one that does not answer. */
const answerMs = 2 * 60_000;

/** A tick later than this means that the process was suspended, or that its machine was. */
const lateMs = 2000;

/**
 * The one timer that evaluates whether agents are alive. A heartbeat is a *changed* marker (a Lease's renewal), seen by
 * the hub's own clock; agents' clocks decide nothing. A member is unresponsive when its window (period times
 * failureThreshold) passed without a heartbeat while the hub watched all the time. After a start, an outage or a
 * suspension of this process, a whole window must be watched first.
 */
export class HealthTimer {
  readonly #options: HealthOptions;
  readonly #members = new Map<string, Watched>();
  readonly #stop = new AbortController();
  /** Times here are monotonic: a change of the machine's clock makes no agent unresponsive. */
  #watchingSinceMs: number;
  /** When the next tick is due. */
  #tickDueMs: number;
  /** The API server's clock, less the own one; undefined as long as it is not known. */
  #hubClockAheadMs: number | undefined;
  /** No window ends before: until then the timer visits no member. */
  #nextEndMs = Number.POSITIVE_INFINITY;
  /** When (monotonic ms) the watch was interrupted last. */
  #interruptedMs = Number.NEGATIVE_INFINITY;
  #wasWatchFailing = false;
  /** The machine's clock, less the monotonic one, at the last tick. */
  #clockAheadMs: number;
  /** Clock.suspendedMs when it was last read. */
  #suspendedMs: number;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#watchingSinceMs = options.clock.monotonicMs();
    this.#tickDueMs = this.#watchingSinceMs + tickMs;
    this.#clockAheadMs = options.clock.nowMs() - this.#watchingSinceMs;
    this.#suspendedMs = options.clock.suspendedMs?.() ?? 0;
    void this.#run();
  }

  /** For how long the hub has been watched without an interruption. */
  watchedMs(): number {
    const nowMs = this.#nowMs();
    this.#recordSleep(nowMs);
    return this.#options.watchFailingSinceMs() === undefined ? nowMs - this.#watchingSinceMs : 0;
  }

  /** For how long (ms) an answer may still come, after a time in which no heartbeat could arrive; 0: it should be here. */
  answerWaitMs(): number {
    return Math.max(0, answerMs - this.watchedMs());
  }

  /**
   * Continues what was watched before this process, or while it did not lead: the hub could be reached for `watchedMs` until
   * now, which is `hubNowMs` by the API server's clock. An interruption since this process started is not undone.
   */
  resume(watchedMs: number, hubNowMs: number): void {
    const nowMs = this.#nowMs();
    this.#hubClockAheadMs = hubNowMs - nowMs;
    this.#watchingSinceMs = Math.max(this.#interruptedMs, Math.min(this.#watchingSinceMs, nowMs - watchedMs));
    // Windows may end earlier now.
    this.#nextEndMs = nowMs;
  }

  /**
   * Takes in what is seen of a member: its window, the marker of its newest heartbeat, if there is one, and when (epoch ms)
   * that was written by the API server's clock, which is asked for a member that is seen for the first time.
   */
  observe(memberKey: string, windowMs: number, marker: string | undefined, written?: () => number | undefined): void {
    const nowMs = this.#nowMs();
    const known = this.#members.get(memberKey);
    if (!known) {
      // The first marker may be old: only a change of it is a heartbeat.
      const sinceMs = this.#sinceMs(written?.(), nowMs);
      const made: Watched = { marker, heartbeatAtMs: undefined, sinceMs, windowMs, turned: "unwatched" };
      this.#members.set(memberKey, made);
      this.#recordEnd(made);
      return;
    }
    const isHeartbeat = marker !== undefined && marker !== known.marker;
    if (!isHeartbeat && windowMs === known.windowMs) return;
    known.windowMs = windowMs;
    if (isHeartbeat) {
      known.marker = marker;
      known.heartbeatAtMs = nowMs;
      this.#evaluate(memberKey, known, nowMs);
    }
    this.#recordEnd(known);
  }

  /** An agent has come in: silence counts from now on, and the time before does not count. */
  begin(memberKey: string): void {
    const known = this.#members.get(memberKey);
    if (!known || known.heartbeatAtMs !== undefined) return;
    known.sinceMs = this.#nowMs();
    known.turned = "unwatched";
    this.#recordEnd(known);
  }

  forget(memberKey: string): void {
    this.#members.delete(memberKey);
  }

  stateOf(memberKey: string): HeartbeatState {
    const known = this.#members.get(memberKey);
    if (!known) return { kind: "unwatched" };
    const nowMs = this.#nowMs();
    // A reader that sees a transition before the timer does records it: then the transition back must be reported too.
    this.#evaluate(memberKey, known, nowMs);
    return this.#stateOf(known, nowMs);
  }

  /** When (monotonic ms) the last heartbeat of this process's time was seen. */
  lastHeartbeatMs(memberKey: string): number | undefined {
    return this.#members.get(memberKey)?.heartbeatAtMs;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { clock, watchFailingSinceMs } = this.#options;
    let sleepMs = tickMs;
    while (!this.#stop.signal.aborted) {
      this.#tickDueMs = this.#nowMs() + sleepMs;
      try {
        await clock.sleep(sleepMs, this.#stop.signal);
      } catch {
        return; // stopped: the only reason for sleep to reject
      }
      sleepMs = tickMs; // while the hub is away
      const nowMs = this.#nowMs();
      this.#recordSleep(nowMs);
      this.#recordClock(nowMs);
      const isWatchFailing = watchFailingSinceMs() !== undefined;
      if (isWatchFailing || this.#wasWatchFailing) this.#interrupt(nowMs);
      this.#wasWatchFailing = isWatchFailing;
      if (isWatchFailing) continue;
      if (nowMs >= this.#nextEndMs) this.#evaluateAll(nowMs);
      // A member's window ends when it ends, not at the next tick.
      sleepMs = Math.min(tickMs, Math.max(this.#nextEndMs - nowMs, gatherMs));
    }
  }

  #evaluateAll(nowMs: number): void {
    this.#nextEndMs = Number.POSITIVE_INFINITY;
    for (const [key, known] of this.#members) {
      this.#evaluate(key, known, nowMs);
      if (this.#endMs(known) > nowMs) this.#recordEnd(known);
    }
  }

  /** A heartbeat or an interruption delays the end: then the timer fires once without effect. */
  #recordEnd(known: Watched): void {
    this.#nextEndMs = Math.min(this.#nextEndMs, this.#endMs(known));
  }

  /** From when on the member is unresponsive, if no heartbeat arrives. */
  #endMs(known: Watched): number {
    return this.#watchedFromMs(known) + known.windowMs + 1;
  }

  /**
   * The time now. When the tick is late, this process was suspended and saw no heartbeat: windows start anew. Any
   * caller of this detects it, not only the tick.
   */
  #nowMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs > this.#tickDueMs + lateMs) {
      this.#interrupt(nowMs);
      this.#tickDueMs = nowMs;
    }
    return nowMs;
  }

  /** The machine slept: its monotonic clock may have stopped, so that no tick was late. */
  #recordSleep(nowMs: number): void {
    const suspendedMs = this.#options.clock.suspendedMs?.() ?? 0;
    if (suspendedMs - this.#suspendedMs > lateMs) this.#interrupt(nowMs);
    this.#suspendedMs = suspendedMs;
  }

  #recordClock(nowMs: number): void {
    const aheadMs = this.#options.clock.nowMs() - nowMs;
    const isSet = Math.abs(aheadMs - this.#clockAheadMs) > clockStepMs;
    this.#clockAheadMs = aheadMs;
    if (isSet) this.#options.onClockStep?.();
  }

  /** Windows start anew. */
  #interrupt(nowMs: number): void {
    this.#interruptedMs = nowMs;
    this.#watchingSinceMs = nowMs;
  }

  #evaluate(key: string, known: Watched, nowMs: number): void {
    const { kind } = this.#stateOf(known, nowMs);
    if (kind === known.turned) return;
    // A hub whose watch failed reports nothing new until it has watched a window.
    if (kind === "unwatched") return;
    known.turned = kind;
    this.#options.onTurn(key, kind);
  }

  #stateOf(known: Watched, nowMs: number): HeartbeatState {
    const { heartbeatAtMs, windowMs } = known;
    if (heartbeatAtMs !== undefined && nowMs - heartbeatAtMs <= windowMs) return { kind: "alive" };
    const watchedFromMs = this.#watchedFromMs(known);
    if (nowMs - watchedFromMs > windowMs)
      return { kind: "unresponsive", forMs: nowMs - (heartbeatAtMs ?? watchedFromMs) };
    // Within an outage's shadow the last state stays: an outage is no heartbeat of a member that was unresponsive before.
    if (known.turned === "unresponsive")
      return { kind: "unresponsive", forMs: nowMs - (heartbeatAtMs ?? watchedFromMs) };
    return known.turned === "alive" ? { kind: "alive" } : { kind: "unwatched" };
  }

  /** From when on missed heartbeats count. */
  #watchedFromMs({ heartbeatAtMs, sinceMs }: Watched): number {
    return Math.max(this.#watchingSinceMs, sinceMs, heartbeatAtMs ?? Number.NEGATIVE_INFINITY);
  }

  /** A time of the API server's clock by the own one. It has whole seconds: the later moment is the safe one. */
  #sinceMs(writtenMs: number | undefined, nowMs: number): number {
    if (writtenMs === undefined || this.#hubClockAheadMs === undefined) return nowMs;
    return Math.min(nowMs, writtenMs + 1000 - this.#hubClockAheadMs);
  }
}
