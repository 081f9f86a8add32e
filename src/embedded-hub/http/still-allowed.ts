import { ApiFailure } from "../failures/api-failure.ts";

/** As long as API servers remember that a token was good, and no longer. */
const validMs = 10_000;

/**
 * For a request that runs long, and asks before it sends anything: whether its client may still read. The answer counts for ten
 * seconds, so that many events cost one evaluation.
 */
export function whileAllowed(confirmAdmission: () => void, monotonicMs: () => number): () => boolean {
  let isAllowed = true;
  let evaluatedAtMs = monotonicMs();
  return () => {
    const nowMs = monotonicMs();
    if (isAllowed && nowMs - evaluatedAtMs >= validMs) {
      isAllowed = isAdmitted(confirmAdmission);
      evaluatedAtMs = nowMs;
    }
    return isAllowed;
  };
}

function isAdmitted(confirmAdmission: () => void): boolean {
  try {
    confirmAdmission();
    return true;
  } catch (error) {
    if (error instanceof ApiFailure) return false;
    throw error;
  }
}
