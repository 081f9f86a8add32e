import type { Clock } from "./clock.ts";
import { isAppError } from "./errors.ts";
import type { Log, LogFields } from "./log.ts";

/** A failure that lasts is logged again after this time. */
const reminderMs = 60_000;

export interface FailureLogOptions {
  readonly log: Log;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Messages: constant texts. */
  readonly failed: string;
  readonly recovered: string;
  /** In each line. Default none. */
  readonly fields?: LogFields;
}

/**
 * Logs the failures of something that is tried again and again: the first one, one with another code, once a minute how often it
 * has failed since, and its end. An outage of hours must not push everything else out of a log.
 */
export class FailureLog {
  readonly #options: FailureLogOptions;
  #current: { readonly code: string; readonly sinceMs: number; loggedMs: number; times: number } | undefined;

  constructor(options: FailureLogOptions) {
    this.#options = options;
  }

  failed(error: unknown): void {
    const { log, clock, failed, fields } = this.#options;
    const nowMs = clock.monotonicMs();
    const code = isAppError(error) ? error.code : "";
    if (this.#current?.code !== code) this.#current = { code, sinceMs: nowMs, loggedMs: nowMs, times: 0 };
    const current = this.#current;
    current.times++;
    if (current.times > 1 && nowMs - current.loggedMs < reminderMs) return;
    current.loggedMs = nowMs;
    log.warn(failed, { ...fields, error, ...(current.times > 1 ? { times: current.times } : {}) });
  }

  recovered(): void {
    const { log, clock, recovered, fields } = this.#options;
    if (this.#current === undefined) return;
    const { sinceMs, times } = this.#current;
    this.#current = undefined;
    log.info(recovered, { ...fields, times, afterMs: Math.round(clock.monotonicMs() - sinceMs) });
  }
}
