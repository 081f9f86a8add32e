import type { BeatView } from "../../model/generated/page-api.ts";

const mostHeartbeats = 60;

/** When each agent was seen to send a heartbeat, by the hub's clock: the last 60 of each. */
export class HeartbeatLog {
  readonly #sinceMs: number;
  readonly #times = new Map<string, number[]>();

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  /** A heartbeat of the cluster `workspace/name`. */
  record(key: string, atMs: number): void {
    const heartbeats = this.#times.get(key) ?? [];
    heartbeats.push(atMs);
    if (heartbeats.length > mostHeartbeats) heartbeats.shift();
    this.#times.set(key, heartbeats);
  }

  forget(key: string): void {
    this.#times.delete(key);
  }

  /** `last` is the time of its newest heartbeat as the agent reports it. */
  read(key: string, last: string | undefined): BeatView {
    const seen = (this.#times.get(key) ?? []).map((atMs) => new Date(atMs).toISOString());
    return { ...(last === undefined ? {} : { last }), watchedSince: new Date(this.#sinceMs).toISOString(), seen };
  }
}
