import { AppError } from "../core/errors.ts";
import { escapeJson } from "../core/printable-json.ts";
import type { Log, LogFields } from "../core/log.ts";

export interface LineLogOptions {
  /** Lines below it are left out. Unknown ones count as "info". */
  readonly level: string;
  readonly nowMs: () => number;
  readonly write: (line: string) => void;
  /** Default: one JSON object a line. */
  readonly render?: (line: LogLine) => string;
}

export interface LogLine {
  readonly level: (typeof levels)[number];
  readonly timeMs: number;
  readonly message: string;
  /** Errors are in a form without stacks. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const levels = ["debug", "info", "warn", "error"] as const;

/** With nothing loaded: for agents, whose memory counts. Errors are as in {@link LogLine}. */
export function createLineLog(options: LineLogOptions): Log {
  return wrap(options, {});
}

function wrap(options: LineLogOptions, common: LogFields): Log {
  const wanted = levels.findIndex((level) => level === options.level);
  const least = wanted < 0 ? 1 : wanted;
  const line =
    (level: (typeof levels)[number]) =>
    (message: string, fields: LogFields = {}) => {
      if (levels.indexOf(level) < least) return;
      const { render = renderJson } = options;
      options.write(
        `${render({ level, timeMs: options.nowMs(), message, fields: plain({ ...common, ...fields }) })}\n`,
      );
    };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: (fields) => wrap(options, { ...common, ...fields }),
  };
}

function renderJson({ level, timeMs, message, fields }: LogLine): string {
  return escapeJson(JSON.stringify({ level, time: new Date(timeMs).toISOString(), ...fields, msg: message }));
}

/** Errors as code, message and cause; never as a stack that could hold a body. */
function plain(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? errorFields(value) : value]),
  );
}

function errorFields(error: Error): unknown {
  return error instanceof AppError ? error.toJSON() : { message: error.message };
}
