import type { HubChange } from "../model/hub-change.ts";

/** Documents of one commit. */
const documentsAtMost = 100;
const minuteMs = 60_000;
const commitsPerMinute = 10;
/** So often within {@link turnsMs} a change of one object is committed; then another program makes it again and again. */
const turnsAtMost = 3;
const turnsMs = 600_000;

/** Bounds what is committed because of changes on the hub. Times are monotonic. */
export class CommitLimit {
  #commitsAtMs: number[] = [];
  readonly #turns = new Map<string, number[]>();

  /** The changes that one commit may have now, and those whose object was changed too often. */
  choose(
    changes: readonly HubChange[],
    nowMs: number,
  ): { readonly chosen: readonly HubChange[]; readonly tooOften: readonly HubChange[]; readonly isFull: boolean } {
    this.#commitsAtMs = this.#commitsAtMs.filter((atMs) => atMs > nowMs - minuteMs);
    for (const [object, times] of this.#turns) {
      const recent = times.filter((atMs) => atMs > nowMs - turnsMs);
      if (recent.length === 0) this.#turns.delete(object);
      else this.#turns.set(object, recent);
    }
    const tooOften = changes.filter(({ object }) => (this.#turns.get(object)?.length ?? 0) >= turnsAtMost);
    const others = changes.filter((change) => !tooOften.includes(change));
    const isFull = others.length > 0 && this.#commitsAtMs.length >= commitsPerMinute;
    return { chosen: isFull ? [] : others.slice(0, documentsAtMost), tooOften, isFull };
  }

  /** Milliseconds until a further commit may be made. */
  waitMs(nowMs: number): number {
    const [oldest = 0] = this.#commitsAtMs;
    return this.#commitsAtMs.length < commitsPerMinute ? 0 : Math.max(0, oldest + minuteMs - nowMs);
  }

  record(committed: readonly HubChange[], nowMs: number): void {
    this.#commitsAtMs.push(nowMs);
    for (const { object } of committed) this.#turns.set(object, [...(this.#turns.get(object) ?? []), nowMs]);
  }
}
