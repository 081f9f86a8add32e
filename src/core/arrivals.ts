import { Turns } from "./turns.ts";

export interface ArrivalLimits {
  /** Requests that begin in one turn of the event loop. */
  readonly perTurn: number;
  /** What the requests of one account, or of all strangers, may weigh that wait to begin. */
  readonly weight: number;
  /** Requests that one connection may have waiting beyond that. */
  readonly mostInCrowd: number;
}

export const arrivalLimits: ArrivalLimits = { perTurn: 32, weight: 32 * 1024 * 1024, mostInCrowd: 4 };

/** What the request of an account, or of a stranger, brings with it besides its head. */
const leastWeight = 4 * 1024;

/** With whom a connection is counted. */
export interface Group {
  /** Undefined: with the strangers. */
  readonly account: string | undefined;
}

export interface Arrival {
  /** Names and values of its head. */
  readonly head: readonly string[];
  /** False when its client has given it up. */
  readonly begin: () => boolean;
}

/** What waits on one connection. */
interface Line {
  /** Undefined: it is not counted. */
  group: Group | undefined;
  weight: number;
  readonly waiting: { readonly weight: number; readonly begin: () => boolean }[];
}

/**
 * Lets requests begin as they arrive, before anything is known of them, round robin between connections: one read of a connection
 * has room for a thousand requests, and what is ready on a thousand connections is read before anything else has its turn.
 * Without a crowd a request begins at once. `nextTurn` calls back in the next turn. A class for its queues.
 */
export class Arrivals {
  private readonly limits: ArrivalLimits;
  private readonly turns: Turns;
  /** By connection, in the order of their turns. */
  private readonly lines = new Map<object, Line>();
  private readonly weights = new Map<string | undefined, number>();

  constructor(nextTurn: (callback: () => void) => void, limits: ArrivalLimits = arrivalLimits) {
    this.turns = new Turns(nextTurn, () => this.beginWaiting());
    this.limits = limits;
  }

  /** Begins the request when it is the turn of its connection. False when the connection must end: it is one of a crowd. */
  take(connection: object, group: Group | undefined, { head, begin }: Arrival): boolean {
    const { perTurn, weight: mostWeight, mostInCrowd } = this.limits;
    this.turns.plan();
    if (this.turns.begun < perTurn && this.lines.size === 0) {
      if (begin()) this.turns.begun += 1;
      return true;
    }
    const line = this.lines.get(connection) ?? { group, weight: 0, waiting: [] };
    const isCrowd = group !== undefined && (this.weights.get(group.account) ?? 0) >= mostWeight;
    if (isCrowd && line.waiting.length >= mostInCrowd) return false;
    const weight = head.reduce((sum, { length }) => sum + length, leastWeight);
    this.weigh(line, weight);
    line.waiting.push({ weight, begin });
    this.lines.set(connection, line);
    return true;
  }

  /** The client of a connection has proved who it is. */
  regroup(connection: object, group: Group | undefined): void {
    const line = this.lines.get(connection);
    if (line === undefined) return;
    const { weight } = line;
    this.weigh(line, -weight);
    line.group = group;
    this.weigh(line, weight);
  }

  private weigh(line: Line, change: number): void {
    line.weight += change;
    if (line.group === undefined) return;
    const { account } = line.group;
    const weight = (this.weights.get(account) ?? 0) + change;
    if (weight > 0) this.weights.set(account, weight);
    else this.weights.delete(account);
  }

  private beginWaiting(): void {
    for (const [connection, line] of this.lines) {
      if (this.turns.begun >= this.limits.perTurn) break;
      this.lines.delete(connection);
      const next = line.waiting.shift();
      if (next === undefined) continue;
      // Moves to the end of the round.
      if (line.waiting.length > 0) this.lines.set(connection, line);
      this.weigh(line, -next.weight);
      if (next.begin()) this.turns.begun += 1;
    }
    if (this.lines.size > 0) this.turns.plan();
  }
}
