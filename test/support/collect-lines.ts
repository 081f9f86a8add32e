import type { Log } from "../../src/core/log.ts";

/** A log that keeps every line as `<level> <message> <fields as JSON>`. */
export function collectLines(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const add =
    (level: string) =>
    (message: string, fields: object = {}): void =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = {
    debug: add("debug"),
    info: add("info"),
    warn: add("warn"),
    error: add("error"),
    with: () => log,
  };
  return { log, lines };
}
