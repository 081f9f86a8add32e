/** CPU time (ms) of the yardstick on the machine that bounds of tests were measured on, when it does nothing else. */
const writtenMs = 7;
/** The first runs are slower: the compiler has not seen them yet. */
const firstRuns = 10;
const runs = 5;

let isWarm = false;

/**
 * A bound in CPU time, for this machine as it is now: a slower one, or one whose cores others share, takes longer for everything.
 * Call it beside what is measured, in the same process. Never less than the bound: a faster machine has only more room.
 */
export function ofThisMachine(boundMs: number): number {
  return boundMs * slownessNow();
}

/** The same for a bound in elapsed time, of what other processes do: they wait for a core as this one does. */
export function elapsedOfThisMachine(boundMs: number): number {
  return boundMs * slownessNow(elapsedMsOf);
}

/** Seconds between two heartbeats of a test's agents: one, and more where a live agent might be late. */
export function heartbeatSecondsOfThisMachine(): number {
  return Math.min(5, Math.round(elapsedOfThisMachine(1)));
}

/** How many times as long as the machine of the bounds this one takes now; at least 1. */
export function slownessNow(msOf: (work: () => unknown) => number = cpuMsOf): number {
  if (!isWarm) for (let run = 0; run < firstRuns; run += 1) yardstick();
  isWarm = true;
  const costs = Array.from({ length: runs }, () => msOf(yardstick)).sort((a, b) => a - b);
  return Math.max(1, (costs[(runs - 1) / 2] ?? 0) / writtenMs);
}

function elapsedMsOf(work: () => unknown): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

/**
 * CPU time (ms) of this thread, at most. That of the process counts its other threads, such as the collector's; the elapsed time
 * counts other processes: the lesser of them is nearer.
 */
export function cpuMsOf(work: () => unknown): number {
  const sinceMs = startCpuWatch();
  const elapsedMs = elapsedMsOf(work);
  return Math.min(sinceMs(), elapsedMs);
}

/** What it returns gives the CPU time (ms) of this process since then. */
export function startCpuWatch(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** Work of the kinds that the code does: numbers, texts, maps, JSON and garbage. */
function yardstick(): number {
  let sum = 0;
  for (let index = 0; index < 2_000_000; index += 1) sum = (Math.imul(sum, 31) + index) | 0;
  const byKey = new Map<string, { readonly index: number; readonly text: string }>();
  for (let index = 0; index < 20_000; index += 1) byKey.set(`key-${index % 5000}`, { index, text: `value ${index}` });
  const list = JSON.parse(JSON.stringify([...byKey.values()])) as { readonly text: string }[];
  list.sort((a, b) => (a.text < b.text ? -1 : 1));
  return sum + list.length;
}
