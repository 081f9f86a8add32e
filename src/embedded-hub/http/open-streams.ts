import type { Group } from "../../core/arrivals.ts";

interface OpenStreamLimits {
  /** Streams that the connections of one account, or of all strangers, have open. */
  readonly most: number;
  /** A connection with more of them is a crowd. */
  readonly mostInCrowd: number;
}

/** An account may have 2,000 watches, and 1,200 other requests. */
const openStreamLimits: OpenStreamLimits = { most: 4096, mostInCrowd: 32 };

interface Stream {
  once(event: "close", listener: () => void): unknown;
}

/** A connection, and whose its streams are. */
interface StreamOwner {
  readonly connection: object;
  /** Undefined: an administrator's. */
  readonly group: Group | undefined;
  readonly end: () => void;
}

interface Line {
  readonly connection: object;
  readonly end: () => void;
  account: string | undefined;
  open: number;
}

interface Tally {
  open: number;
  /** In the order in which they became crowds. */
  readonly crowds: Set<Line>;
}

/**
 * Bounds the streams of HTTP/2 that are open. Each holds some 12 KB, and of a connection whose client disconnects while answers
 * wait to be written Node.js closes none before the connection is found to be unresponsive. Beyond the bound the connection ends
 * that has been a crowd for longest. A class for its counts.
 */
export class OpenStreams {
  private readonly limits: OpenStreamLimits;
  /** By connection. */
  private readonly lines = new Map<object, Line>();
  /** By account; undefined: of all strangers. */
  private readonly tallies = new Map<string | undefined, Tally>();

  constructor(limits: OpenStreamLimits = openStreamLimits) {
    this.limits = limits;
  }

  add({ connection, group, end }: StreamOwner, stream: Stream): void {
    if (group === undefined) return;
    const line = this.lines.get(connection) ?? { connection, end, account: group.account, open: 0 };
    this.lines.set(connection, line);
    this.count(line, 1);
    stream.once("close", () => {
      if (this.lines.get(connection) !== line) return;
      this.count(line, -1);
      if (line.open === 0) this.lines.delete(connection);
    });
    const { open, crowds } = this.tallyOf(line);
    const [oldest] = crowds;
    if (open > this.limits.most && oldest !== undefined) this.end(oldest);
  }

  /** The client of a connection has proved who it is. */
  regroup(connection: object, group: Group | undefined): void {
    const line = this.lines.get(connection);
    if (line === undefined) return;
    const { open } = line;
    this.count(line, -open);
    if (group === undefined) this.lines.delete(connection);
    else {
      line.account = group.account;
      this.count(line, open);
    }
  }

  private end(line: Line): void {
    this.count(line, -line.open);
    this.lines.delete(line.connection);
    line.end();
  }

  private count(line: Line, change: number): void {
    const tally = this.tallyOf(line);
    line.open += change;
    tally.open += change;
    if (line.open > this.limits.mostInCrowd) tally.crowds.add(line);
    else tally.crowds.delete(line);
    if (tally.open === 0) this.tallies.delete(line.account);
  }

  private tallyOf({ account }: Line): Tally {
    const tally = this.tallies.get(account) ?? { open: 0, crowds: new Set() };
    this.tallies.set(account, tally);
    return tally;
  }
}
