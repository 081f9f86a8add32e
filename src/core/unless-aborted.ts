/**
 * Resolves or rejects as `work` does, or rejects with the signal's reason when it is aborted first. The work continues: only
 * the wait ends. However much work is behind one promise, the signal has one listener, and none when the wait is over.
 */
export function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    void work.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject);
  });
}

/** Why a signal was aborted, as an error; a reason that is none becomes its cause. */
export function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("stopped", { cause: reason });
}
