export interface Gate {
  /** Resolves when one more may be inside; rejects with the signal's reason when that is aborted first. */
  enter(signal?: AbortSignal): Promise<void>;
  /** Called once for every `enter` that resolved. */
  leave(): void;
}

/** Lets `limit` at a time pass, in their order. */
export function createGate(limit: number): Gate {
  let inside = 0;
  const waiting = new Set<() => void>();
  return {
    async enter(signal) {
      signal?.throwIfAborted();
      if (inside < limit) {
        inside++;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => {
          waiting.delete(pass);
          reject(signal?.reason as Error);
        };
        const pass = () => {
          waiting.delete(pass);
          signal?.removeEventListener("abort", onAbort);
          resolve();
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.add(pass);
      });
    },
    leave() {
      const [next] = waiting;
      // The next one that waits takes the place of the one that ends.
      if (next === undefined) inside--;
      else next();
    },
  };
}

/** Does the work inside the gate, when its turn comes. */
export async function passThrough<T>(gate: Gate, work: () => Promise<T>): Promise<T> {
  await gate.enter();
  try {
    return await work();
  } finally {
    gate.leave();
  }
}
