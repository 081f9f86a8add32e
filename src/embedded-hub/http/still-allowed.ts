/** As long as API servers remember that a token was good, and no longer. */
const validMs = 10_000;

/**
 * For a request that runs long, and asks before it sends anything: whether its client may still read. The answer counts for ten
 * seconds, so that many events cost one evaluation.
 */
export function whileAllowed(isStillAllowed: () => boolean, monotonicMs: () => number): () => boolean {
  let isAllowed = true;
  let evaluatedAtMs = monotonicMs();
  return () => {
    const nowMs = monotonicMs();
    if (isAllowed && nowMs - evaluatedAtMs >= validMs) {
      isAllowed = isStillAllowed();
      evaluatedAtMs = nowMs;
    }
    return isAllowed;
  };
}
