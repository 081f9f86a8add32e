/** Fields of a log line. Never secrets, tokens, keys or bodies. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Logging as a dependency. `message` is constant text; variable values belong in `fields`. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log whose lines all carry `fields`. */
  with(fields: LogFields): Log;
}

/** A log that drops everything; for tests. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLog,
};
