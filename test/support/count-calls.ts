import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll } from "vitest";

/** How often each function and each block of src ran, by place. */
export type CallCounts = ReadonlyMap<string, number>;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly functionName: string; readonly ranges: readonly Range[] }[];
  }[];
}

/** For a file whose tests compare counts: code that V8 optimises, also in the background, counts no calls of what it inlined. */
export function withoutOptimizer(): void {
  beforeAll(() => setFlagsFromString("--no-opt"));
  afterAll(() => setFlagsFromString("--opt"));
}

/** Counts what runs in src while `work` does: V8 itself counts, so nothing of the program is made for it. */
export async function countCalls(work: () => Promise<unknown>): Promise<CallCounts> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    await session.post("Profiler.takePreciseCoverage");
    await work();
    return countsOf(await session.post("Profiler.takePreciseCoverage"));
  } finally {
    await session.post("Profiler.stopPreciseCoverage").catch(() => undefined); // it was not started
    session.disconnect();
  }
}

function countsOf({ result }: Coverage): CallCounts {
  const counts = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = /\/(src\/[^?]*)/u.exec(url)?.[1];
    if (file === undefined || url.includes("node_modules")) continue;
    for (const { functionName, ranges } of functions)
      for (const { startOffset, endOffset, count } of ranges) {
        const key = `${file} ${functionName || "(anonymous)"} ${startOffset}-${endOffset}`;
        counts.set(key, (counts.get(key) ?? 0) + count);
      }
  }
  return counts;
}

/** The places that ran more often in the second count than `most` times beyond the first, those that ran most often first. */
export function moreCalls(small: CallCounts, large: CallCounts, most: number): string[] {
  return [...large]
    .map(([key, count]): [string, number] => [key, count - (small.get(key) ?? 0)])
    .filter(([, more]) => more > most)
    .sort(([, a], [, b]) => b - a)
    .map(([key, more]) => `${key}: ${more} more`);
}
