/** Bytes that answers which are being read may have together. Those that would exceed it wait, in their order. */
export interface AnswerBudget {
  /**
   * Resolves when so many bytes are free (more than there are count as all of them), with what gives them back. Rejects with
   * the signal's reason when that is aborted first.
   */
  take(sizeBytes: number, signal?: AbortSignal): Promise<() => void>;
  /** What is taken now. */
  readonly takenBytes: number;
}

interface Waiting {
  readonly sizeBytes: number;
  readonly pass: () => void;
}

export function createAnswerBudget(totalBytes: number): AnswerBudget {
  const waiting = new Set<Waiting>();
  let takenBytes = 0;

  const letIn = (): void => {
    for (const next of waiting) {
      if (takenBytes + next.sizeBytes > totalBytes) return;
      waiting.delete(next);
      takenBytes += next.sizeBytes;
      next.pass();
    }
  };
  const giveBack = (sizeBytes: number): (() => void) => {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      takenBytes -= sizeBytes;
      letIn();
    };
  };
  return {
    get takenBytes() {
      return takenBytes;
    },
    async take(wantedBytes, signal) {
      signal?.throwIfAborted();
      const sizeBytes = Math.min(wantedBytes, totalBytes);
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          waiting.delete(entry);
          reject(signal?.reason as Error);
          letIn();
        };
        const pass = (): void => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        };
        const entry: Waiting = { sizeBytes, pass };
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.add(entry);
        letIn();
      });
      return giveBack(sizeBytes);
    },
  };
}
