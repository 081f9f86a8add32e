import { startCpuWatch } from "./of-this-machine.ts";

export interface LoopCost {
  /** The longest time that nothing else got its turn, without what the machine did meanwhile. */
  readonly longestHoldMs: number;
  readonly cpuMs: number;
  /** How far memory grew, at most: heap and buffers. */
  readonly heldMiB: number;
}

/** Does some work and returns what it cost the others on this thread. */
export async function measureLoop<T>(work: () => Promise<T>): Promise<LoopCost & { readonly outcome: T | Error }> {
  const heldBytes = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const heldBefore = heldBytes();
  const cpuNowMs = startCpuWatch();
  let last = performance.now();
  let lastCpuMs = 0;
  let longestHoldMs = 0;
  let most = heldBefore;
  let isDone = false;
  const turn = (): void => {
    const now = performance.now();
    const cpuMs = cpuNowMs();
    longestHoldMs = Math.max(longestHoldMs, Math.min(now - last, cpuMs - lastCpuMs));
    last = now;
    lastCpuMs = cpuMs;
    most = Math.max(most, heldBytes());
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const outcome = await work().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  turn();
  isDone = true;
  return {
    outcome,
    longestHoldMs: Math.round(longestHoldMs),
    cpuMs: Math.round(cpuNowMs()),
    heldMiB: Math.round((most - heldBefore) / 1024 ** 2),
  };
}
