import type { Log } from "../core/log.ts";
import { createLineLog } from "./line-log.ts";
import { createPinoLog } from "./pino-log.ts";
import { realClock } from "./real-clock.ts";
import { renderTextLine } from "./text-log.ts";

export interface ProgramLogOptions {
  readonly level: string;
  /** `json`, `text`, or `auto`: text on a terminal, JSON elsewhere. */
  readonly format: string;
  readonly isColour: boolean;
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
}

/** The log of a long-running command, on its standard output: lines for people on a terminal, JSON elsewhere. */
export function createProgramLog({ level, format, isColour, stdout }: ProgramLogOptions): Log {
  const isText = format === "text" || (format === "auto" && stdout.isTTY === true);
  if (!isText) return createPinoLog({ level });
  return createLineLog({
    level,
    nowMs: () => realClock.nowMs(),
    write: (line) => void stdout.write(line),
    render: (line) => renderTextLine(line, { isColour }),
  });
}
