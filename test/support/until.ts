/**
 * How long a test waits at most, in milliseconds, for what another party does. It only ends a test that would wait for ever, with
 * a message: no test may depend on how fast a machine is.
 */
export const longestWaitMs = 100_000;

/**
 * Polls what another process does until it holds. Fails after `timeoutMs` (default 100 s) with what was seen last.
 * For things that no event reports; never for waiting a fixed time.
 */
export async function until<T>(
  look: () => Promise<T>,
  isMet: (seen: T) => boolean,
  timeoutMs = longestWaitMs,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const seen = await look();
    if (isMet(seen)) return seen;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > timeoutMs)
      throw new Error(`it did not come true within ${timeoutMs} ms; last seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs(waitedMs)));
  }
}

/** Between two looks: the longer the wait, the fewer of them. A look has its price, most of all one by a process of its own. */
function pauseMs(waitedMs: number): number {
  return Math.min(250, Math.max(25, waitedMs / 20));
}
