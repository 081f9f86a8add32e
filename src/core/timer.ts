import { AppError } from "./errors.ts";
import { abortReason } from "./unless-aborted.ts";

/** The longest delay that setTimeout takes; a longer one would fire at once. Source: Node.js, timers. */
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * Calls `then` once, `delayMs` from now, and never before that. The one place that calls setTimeout: a delay may be
 * longer than setTimeout takes, 0 or less means as soon as possible, and Infinity means never.
 * A timer in the background does not keep the process alive. Default: it does.
 * Returns a function that cancels the call. Throws E_BUG when the delay is NaN: there is no time that it could mean.
 */
export function startTimer(
  delayMs: number,
  then: () => void,
  { isBackground = false }: { readonly isBackground?: boolean } = {},
): () => void {
  if (Number.isNaN(delayMs)) throw new AppError("E_BUG", "a timer cannot wait for NaN milliseconds");
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const partMs = Math.min(leftMs, longestTimeoutMs);
    // A fraction is rounded up: a timer that fires before its time makes its caller wait again, in a loop.
    timer = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : then()), Math.ceil(partMs));
    if (isBackground) timer.unref();
  };
  wait(Math.max(0, delayMs));
  return () => clearTimeout(timer);
}

/**
 * Resolves `durationMs` from now, or rejects with the signal's reason when it is aborted first. Takes what `startTimer`
 * takes.
 */
export function sleepFor(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // Most sleeps of a busy daemon are broken off: no error is made for that but the signal's own.
    const onAbort = (): void => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      reject(abortReason(signal));
    };
    const cancel = startTimer(durationMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort);
  });
}

/**
 * Runs `work` with a signal that is aborted with a TimeoutError `durationMs` from now; the timer ends with the work, and
 * keeps no process alive. Takes what `startTimer` takes.
 */
export async function withDeadline<T>(durationMs: number, work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  const expire = (): void => deadline.abort(new DOMException("the time for this is over", "TimeoutError"));
  const cancel = startTimer(durationMs, expire, { isBackground: true });
  try {
    return await work(deadline.signal);
  } finally {
    cancel();
  }
}
