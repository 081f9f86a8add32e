import { setImmediate } from "node:timers/promises";
import { AppError } from "../../core/errors.ts";
import { nativeRemedy } from "../native-remedy.ts";

/** Lets others have their turn during long work. */
export interface Turns {
  /**
   * Call it between steps of a millisecond or so: after some milliseconds of work it waits for the next turn.
   * @throws E_UNSUPPORTED when the work takes too long in all; the signal's reason
   */
  pass(): Promise<void> | undefined;
}

const workMs = 8;

/** Begins work that may take `maximumMs` in all, for messages named by `what`. */
export function takeTurns(what: string, maximumMs: number, signal?: AbortSignal): Turns {
  const startMs = performance.now();
  let sinceMs = startMs;
  const wait = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
    sinceMs = performance.now();
    if (sinceMs - startMs > maximumMs)
      throw new AppError("E_UNSUPPORTED", `${what}: it takes more than ${maximumMs} ms; use the native back-end`, {
        data: { maximumMs },
        remedy: nativeRemedy,
      });
  };
  return { pass: () => (performance.now() - sinceMs < workMs ? undefined : wait()) };
}
