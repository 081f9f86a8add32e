import { pino } from "pino";
import { AppError } from "../core/errors.ts";
import { escapeJson } from "../core/printable-json.ts";
import type { Log, LogFields } from "../core/log.ts";

export interface LogOptions {
  readonly level: string;
  /** A file to append to. Default: standard output. */
  readonly path?: string;
}

/** How many characters of lines wait while they cannot be written; later ones are dropped. */
const maxWaiting = 1024 * 1024;

/**
 * One JSON object a line. A line that cannot be written, as on a full disk, is written with a later one: the work
 * continues. Errors show as code, message and cause; never as a stack that could hold a body.
 */
export function createPinoLog({ level, path }: LogOptions): Log {
  const destination = pino.destination({ dest: path ?? 1, sync: true, append: true, maxLength: maxWaiting });
  destination.on("error", () => undefined);
  const logger = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: escapeJson },
    },
    destination,
  );
  return wrap((severity, message, fields) => logger[severity](fields, message), {});
}

type Write = (severity: "debug" | "info" | "warn" | "error", message: string, fields: Record<string, unknown>) => void;

function wrap(write: Write, common: LogFields): Log {
  const line =
    (severity: Parameters<Write>[0]) =>
    (message: string, fields: LogFields = {}) => {
      write(severity, message, plain({ ...common, ...fields }));
    };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: (fields) => wrap(write, { ...common, ...fields }),
  };
}

function plain(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? errorFields(value) : value]),
  );
}

function errorFields(error: Error): unknown {
  if (error instanceof AppError) return error.toJSON();
  return { message: error.message, stack: error.stack };
}
