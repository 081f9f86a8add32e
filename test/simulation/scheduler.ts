import type { Random } from "../../src/core/clock.ts";
import { seededRandom } from "../support/seeded-random.ts";
import type { SimEvent } from "./event-heap.ts";
import { EventHeap } from "./event-heap.ts";
import type { Trace } from "./trace.ts";

/** One process of the simulated world. Its code runs only within events of its own. */
export interface SimNode {
  readonly name: string;
  readonly index: number;
  /** Rises with each crash: what an earlier life has pending never happens. */
  life: number;
  isAlive: boolean;
  /** The process is paused until then. */
  resumesAtMs: number;
  /** How far its wall clock is ahead of the true time. */
  wallOffsetMs: number;
  /** How much faster its wall clock runs, since when. */
  drift: { readonly rate: number; readonly sinceMs: number };
}

export const noDrift: SimNode["drift"] = { rate: 0, sinceMs: 0 };

interface NodeEvent extends SimEvent {
  /** Until the end of a standstill. */
  isPutOff: boolean;
  readonly node: SimNode;
  readonly life: number;
}

/** The true time at which each world begins. */
export const worldBeginMs = Date.UTC(2026, 0, 1);

// The true ones: a simulated process gets others.
const realImmediate = setImmediate;
const uint32 = 2 ** 32;

/**
 * Owns time and order: one event after the other, each in one node, and between two of them everything that is ready to
 * run has run. The seed decides how long messages take and which of two events of one moment comes first.
 */
export class Scheduler {
  readonly #heap = new EventHeap<NodeEvent>();
  readonly #dice: () => number;
  readonly #seed: number;
  readonly #trace: Trace;
  readonly nodes: SimNode[] = [];
  #sequence = 0;
  #elapsedMs = 0;
  #current: SimNode | undefined;
  eventCount = 0;
  /** For how long every machine has slept: wall clocks continued meanwhile, and nothing else did. */
  sleptMs = 0;

  constructor(seed: number, trace: Trace) {
    this.#seed = seed;
    this.#dice = seededRandom(seed);
    this.#trace = trace;
  }

  /** Simulated milliseconds since the world began. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** The node whose event runs now. */
  get current(): SimNode | undefined {
    return this.#current;
  }

  /** Uniform in [0, 1), from the seed. */
  dice(): number {
    return this.#dice();
  }

  between(least: number, most: number): number {
    return least + this.#dice() * (most - least);
  }

  /** What a process gets as its random numbers. */
  readonly random: Random = {
    next: () => this.#dice(),
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(this.#dice() * 256)),
  };

  wallMs(node: SimNode | undefined = this.#current): number {
    return Math.floor(worldBeginMs + this.#elapsedMs + this.sleptMs + (node?.wallOffsetMs ?? 0) + this.#driftMs(node));
  }

  #driftMs(node: SimNode | undefined): number {
    return node === undefined ? 0 : node.drift.rate * (this.#elapsedMs - node.drift.sinceMs);
  }

  addNode(name: string): SimNode {
    const node = {
      name,
      index: this.nodes.length,
      life: 0,
      isAlive: true,
      resumesAtMs: 0,
      wallOffsetMs: 0,
      drift: noDrift,
    };
    this.nodes.push(node);
    return node;
  }

  /** Something that comes from outside of the node: a message, a person. Events of one moment come in any order. */
  send(node: SimNode, delayMs: number, what: string, run: () => void): SimEvent {
    return this.#add(node, delayMs, Math.floor(this.#dice() * uint32), { what, run });
  }

  /** A timer of the node's own: those of one moment fire in the order in which they were set. */
  startTimer(node: SimNode, delayMs: number, run: () => void): SimEvent {
    const dueMs = this.#elapsedMs + delayMs;
    const mixed = Math.imul(this.#seed ^ Math.floor(dueMs * 1000), 0x9e3779b1) ^ Math.imul(node.index + 1, 0x85ebca6b);
    return this.#add(node, delayMs, mixed >>> 0, { what: "timer", run });
  }

  #add(node: SimNode, delayMs: number, tie: number, { what, run }: Pick<SimEvent, "what" | "run">): SimEvent {
    const event: NodeEvent = {
      dueMs: this.#elapsedMs + Math.max(0, delayMs),
      tie,
      sequence: this.#sequence++,
      what,
      run,
      isCancelled: false,
      isPutOff: false,
      node,
      life: node.life,
    };
    this.#heap.push(event);
    return event;
  }

  /** How many events of the node's present life are to come. */
  pendingOf(node: SimNode): number {
    const isPending = (event: NodeEvent): boolean => event.node === node && event.life === node.life;
    return this.#heap.events.filter((event) => isPending(event) && !event.isCancelled).length;
  }

  /** Ends the process: nothing that it waits for happens. It begins again with `revive`. */
  kill(node: SimNode): void {
    node.life += 1;
    node.isAlive = false;
    node.resumesAtMs = 0;
  }

  revive(node: SimNode): void {
    node.isAlive = true;
  }

  /** Ends a standstill, also before its time: what was put off happens now. */
  resume(node: SimNode): void {
    const until = node.resumesAtMs;
    node.resumesAtMs = 0;
    if (until <= this.#elapsedMs) return;
    for (const event of this.#heap.events) {
      if (event.node !== node || !event.isPutOff || event.dueMs !== until) continue;
      event.dueMs = this.#elapsedMs;
      event.isPutOff = false;
    }
    this.#heap.reorder();
  }

  /** Runs the events of the next `durationMs`; `afterEvent` may end it early by giving true. */
  async run(durationMs: number, afterEvent: () => boolean = () => false): Promise<void> {
    const endMs = this.#elapsedMs + durationMs;
    for (let next = this.#heap.peek(); next !== undefined && next.dueMs <= endMs; next = this.#heap.peek()) {
      this.#heap.pop();
      if (next.isCancelled || next.life !== next.node.life) continue;
      if (next.node.resumesAtMs > next.dueMs) {
        next.dueMs = next.node.resumesAtMs;
        next.isPutOff = true;
        this.#heap.push(next);
        continue;
      }
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      this.#current = next.node;
      this.eventCount += 1;
      this.#trace.add(this.#elapsedMs, next.node.name, next.what);
      next.run();
      // A turn of the real loop: what this event has made ready runs before the next event does.
      await new Promise<void>((resolve) => void realImmediate(resolve));
      this.#current = undefined;
      if (afterEvent()) return;
    }
    this.#elapsedMs = endMs;
  }
}
