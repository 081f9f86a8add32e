import type { Clock } from "./clock.ts";
import { sha256Hex } from "./digest.ts";
import { describeError } from "./errors.ts";
import type { Log, LogFields } from "./log.ts";

/** A warning that comes again unchanged is logged again after this time. */
const reminderMs = 600_000;
/** Warnings that are remembered: of more, the one that was logged first is forgotten. */
const mostKept = 20_000;

/**
 * The same log for work on many things of which each is tried again and again, such as clusters that do not answer: a warning
 * with the same text and fields as one of the last ten minutes is logged as `debug`. The time until the next try does not count.
 */
export function quietRepeats(log: Log, clock: Pick<Clock, "monotonicMs">): Log {
  return quieted(log, {}, { clock, loggedMs: new Map() });
}

interface Memory {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** When a warning was logged last, by the digest of its content; the oldest is first. */
  readonly loggedMs: Map<string, number>;
}

function quieted(log: Log, common: LogFields, memory: Memory): Log {
  return {
    debug: (...line) => log.debug(...line),
    info: (...line) => log.info(...line),
    warn: (message, fields = {}) => {
      if (isNews(memory, message, { ...common, ...fields })) log.warn(message, fields);
      else log.debug(message, fields);
    },
    error: (...line) => log.error(...line),
    with: (fields) => quieted(log.with(fields), { ...common, ...fields }, memory),
  };
}

function isNews({ clock, loggedMs }: Memory, message: string, { retryInMs: _, ...fields }: LogFields): boolean {
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? describeError(value) : value,
  ]);
  const key = sha256Hex(JSON.stringify([message, texts]));
  const nowMs = clock.monotonicMs();
  if (nowMs - (loggedMs.get(key) ?? -Infinity) < reminderMs) return false;
  loggedMs.delete(key);
  loggedMs.set(key, nowMs);
  const [oldest] = loggedMs.keys();
  if (loggedMs.size > mostKept && oldest !== undefined) loggedMs.delete(oldest);
  return true;
}
