import { isAppError } from "../core/errors.ts";

/** More keys are not remembered: then the next reports are made once more. */
const mostKeys = 1000;

/** What was reported to a forge last, by key: the same is not reported again. */
export class ReportOnce {
  readonly #reported = new Map<string, string>();

  /** Calls `send` unless the last report of this key had the same text and succeeded. */
  async report(key: string, text: string, send: () => Promise<unknown>): Promise<void> {
    if (this.#reported.get(key) === text) return;
    // A call whose answer is lost may have taken effect: until one is answered, nothing is known.
    this.#reported.delete(key);
    await send();
    if (this.#reported.size >= mostKeys) this.#reported.clear();
    this.#reported.set(key, text);
  }
}

/** True when a forge refuses one report, such as the status of a commit that it does not know: others it may take. */
export function isRefusedReport(error: unknown): boolean {
  return isAppError(error, "E_FORGE_FORBIDDEN", "E_FORGE_NOT_FOUND", "E_FORGE_REFUSED");
}
