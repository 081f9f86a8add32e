/**
 * Polls what another process does until it holds. Fails after `timeoutMs` (default 20 s) with what was seen last.
 * For things that no event tells; never for waiting a fixed time.
 */
export async function until<T>(look: () => Promise<T>, isMet: (seen: T) => boolean, timeoutMs = 20_000): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (isMet(seen)) return seen;
    if (performance.now() > deadlineMs)
      throw new Error(`it did not come true within ${timeoutMs} ms; last seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
