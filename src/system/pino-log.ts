import { pino } from "pino";
import type { Log } from "../core/log.ts";
import { createLineLog } from "./line-log.ts";
import { realClock } from "./real-clock.ts";

export interface LogOptions {
  readonly level: string;
  /** A file to append to. Default: standard output. */
  readonly path?: string;
}

/** How many characters of lines wait while they cannot be written; later ones are dropped. */
const maxWaiting = 1024 * 1024;

/**
 * One JSON object a line. A line that cannot be written, as on a full disk, is written with a later one: the work
 * continues.
 */
export function createPinoLog({ level, path }: LogOptions): Log {
  const destination = pino.destination({ dest: path ?? 1, sync: true, maxLength: maxWaiting });
  destination.on("error", () => undefined);
  return createLineLog({ level, nowMs: () => realClock.nowMs(), write: (line) => void destination.write(line) });
}
