import { AppError } from "../core/errors.ts";
import { escapeJson } from "../core/printable-json.ts";
import type { Log, LogFields } from "../core/log.ts";

export interface LineLogOptions {
  /** Lines below it are left out. Unknown ones count as "info". */
  readonly level: string;
  readonly nowMs: () => number;
  readonly write: (line: string) => void;
}

const levels = ["debug", "info", "warn", "error"] as const;

/** One JSON object a line, as createPinoLog writes them, with nothing loaded: for agents, whose memory counts. */
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
      const time = new Date(options.nowMs()).toISOString();
      const text = JSON.stringify({ level, time, ...plain({ ...common, ...fields }), msg: message });
      options.write(`${escapeJson(text)}\n`);
    };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: (fields) => wrap(options, { ...common, ...fields }),
  };
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
