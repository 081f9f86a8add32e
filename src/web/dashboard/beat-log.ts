import type { BeatView } from "../../model/generated/page-api.ts";

const mostBeats = 60;

/** When each agent was seen to beat, by the hub's clock: the last 60 of each. */
export class BeatLog {
  readonly #sinceMs: number;
  readonly #beats = new Map<string, number[]>();

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  /** A beat of the cluster `workspace/name`. */
  note(key: string, atMs: number): void {
    const beats = this.#beats.get(key) ?? [];
    beats.push(atMs);
    if (beats.length > mostBeats) beats.shift();
    this.#beats.set(key, beats);
  }

  forget(key: string): void {
    this.#beats.delete(key);
  }

  /** `last` is what the agent itself says of its newest beat. */
  read(key: string, last: string | undefined): BeatView {
    const seen = (this.#beats.get(key) ?? []).map((atMs) => new Date(atMs).toISOString());
    return { ...(last === undefined ? {} : { last }), watchedSince: new Date(this.#sinceMs).toISOString(), seen };
  }
}
