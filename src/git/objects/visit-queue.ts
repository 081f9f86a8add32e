import type { Commit } from "../git.ts";

/** A commit of a walk, and from which of its two ends it was reached. */
export interface Visit {
  /** Without its message. */
  readonly commit: Commit;
  isIncluded: boolean;
  isExcluded: boolean;
}

interface Waiting {
  readonly visit: Visit;
  /** In which order they were added. */
  readonly turn: number;
}

/**
 * Visits that wait, the newest commit first, and of the same age the first one that was added. Each step takes time in
 * proportion to the logarithm of their number: who pushes a branch chooses how wide its history is.
 */
export class VisitQueue {
  /** A binary heap: each is before the two at twice its place. */
  readonly #heap: Waiting[] = [];
  readonly #waiting = new Set<Visit>();
  #turns = 0;
  #onlyIncluded = 0;
  #uncommon = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Whether one of them was reached from the included end alone. */
  get hasOnlyIncluded(): boolean {
    return this.#onlyIncluded > 0;
  }

  /** Whether one of them was not reached from both ends. */
  get hasUncommon(): boolean {
    return this.#uncommon > 0;
  }

  /** Records from where a visit was reached, and adds it unless it waits already. */
  reach(visit: Visit, { isIncluded, isExcluded }: Pick<Visit, "isIncluded" | "isExcluded">): void {
    const isWaiting = this.#waiting.has(visit);
    if (isWaiting) this.#count(visit, -1);
    visit.isIncluded ||= isIncluded;
    visit.isExcluded ||= isExcluded;
    this.#count(visit, 1);
    if (isWaiting) return;
    this.#waiting.add(visit);
    this.#heap.push({ visit, turn: this.#turns++ });
    this.#raise(this.#heap.length - 1);
  }

  /** Removes the first one; undefined when none waits. */
  take(): Visit | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#lower(0);
    }
    this.#waiting.delete(first.visit);
    this.#count(first.visit, -1);
    return first.visit;
  }

  #count({ isIncluded, isExcluded }: Visit, change: 1 | -1): void {
    if (isIncluded && !isExcluded) this.#onlyIncluded += change;
    if (!isIncluded || !isExcluded) this.#uncommon += change;
  }

  #raise(from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >>> 1;
      if (!this.#swapIfBefore(place, above)) return;
      place = above;
    }
  }

  #lower(from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      const next = this.#isBefore(right, left) ? right : left;
      if (!this.#swapIfBefore(next, place)) return;
      place = next;
    }
  }

  #swapIfBefore(below: number, above: number): boolean {
    const [lower, upper] = [this.#heap[below], this.#heap[above]];
    if (!lower || !upper || !this.#isBefore(below, above)) return false;
    this.#heap[above] = lower;
    this.#heap[below] = upper;
    return true;
  }

  #isBefore(one: number, other: number): boolean {
    const [left, right] = [this.#heap[one], this.#heap[other]];
    if (!left || !right) return left !== undefined;
    const ageMs = right.visit.commit.committedAtMs - left.visit.commit.committedAtMs;
    return ageMs === 0 ? left.turn < right.turn : ageMs < 0;
  }
}
