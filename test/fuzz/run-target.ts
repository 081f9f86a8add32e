import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { slownessNow, startCpuWatch } from "../support/of-this-machine.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startCoverage } from "./coverage.ts";
import { diceOf, mutate } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import type { Watchdog } from "./watchdog.ts";

/** No input may hold the loop for longer, in CPU time of this process as on the machine of the bounds. */
const longestMs = 200;
/** No run may keep more, once garbage is collected: objects and buffers. */
export const mostGrowthBytes = 64 * 1024 * 1024;
const mostCollections = 8;
/** A collection that frees less has left no garbage. */
const littleBytes = 256 * 1024;
const mostFailures = 20;
const inputsPerBatch = 50;
const mostSeeds = 3000;

export interface FuzzRun {
  readonly seed: number;
  readonly durationMs: number;
  /** The run ends after so many inputs, so that a faster machine tries no others. Default: no end. */
  readonly mostInputs?: number;
  /** Inputs that failed before; tried first, and changed as the seeds are. */
  readonly corpus?: readonly Input[];
  /** Inputs that reach code which none before reached are changed like the seeds. Default false. */
  readonly hasCoverage?: boolean;
  /** Ends the process when one input has no end; without it the run waits. */
  readonly watchdog?: Pick<Watchdog, "begin" | "end">;
}

export interface Failure {
  readonly input: Input;
  readonly reason: string;
}

export interface FuzzReport {
  readonly count: number;
  /** A run ends at twenty. */
  readonly failures: readonly Failure[];
  readonly slowestMs: number;
  readonly grownBytes: number;
  /** How many inputs reached new code; 0 without coverage. */
  readonly found: number;
}

/**
 * Gives inputs to a target until the time is over, the time to open it included. Without coverage the same seed gives the
 * same inputs in the same order.
 */
export async function runTarget(target: Target, run: FuzzRun): Promise<FuzzReport> {
  const { seed, durationMs, corpus = [], mostInputs = Infinity, hasCoverage = false, watchdog } = run;
  const endMs = performance.now() + durationMs;
  const seeds = [...corpus, ...target.seeds];
  const dice = diceOf(seededRandom(seed));
  const failures: Failure[] = [];
  let count = 0;
  let slowestMs = 0;
  const { take, close } = await target.open();
  const measure = async (input: Input): Promise<{ readonly failure: string | undefined; readonly tookMs: number }> => {
    watchdog?.begin(input);
    const sinceMs = startCpuWatch();
    const failure = await failureOf(take, input);
    const cpuMs = sinceMs();
    watchdog?.end();
    return { failure, tookMs: cpuMs > longestMs ? cpuMs / slownessNow() : cpuMs };
  };
  const attempt = async (input: Input): Promise<void> => {
    const first = await measure(input);
    const { failure } = first;
    let { tookMs } = first;
    // Collecting the garbage of others may fall into one measurement: what is slow is so each time.
    for (let again = 0; again < 2 && tookMs > longestMs; again += 1)
      tookMs = Math.min(tookMs, (await measure(input)).tookMs);
    count += 1;
    slowestMs = Math.max(slowestMs, tookMs);
    if (failure === undefined && tookMs <= longestMs) return;
    failures.push({ input, reason: failure ?? `${Math.round(tookMs)} ms` });
  };
  const feedback = hasCoverage ? startFeedback(measure) : undefined;
  try {
    for (const input of seeds) await measure(input); // the first calls compile the code
    const usedBefore = await usedBytes((now, before) => before - now < littleBytes);
    for (const input of seeds) await attempt(input);
    const isOver = (): boolean => performance.now() >= endMs || failures.length >= mostFailures || count >= mostInputs;
    while (!isOver()) {
      const input = dice.next() < 0.5 ? target.generate(dice) : changed(dice.pick(seeds));
      await attempt(input);
      const found = (await feedback?.add(input)) ?? [];
      seeds.push(...found.slice(0, mostSeeds - seeds.length));
      if (count % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const usedAfter = await usedBytes((now) => now - usedBefore < mostGrowthBytes);
    return { count, failures, slowestMs, grownBytes: usedAfter - usedBefore, found: feedback?.found() ?? 0 };
  } finally {
    feedback?.close();
    await close();
  }

  function changed({ form, bytes }: Input): Input {
    return { form, bytes: mutate(dice, bytes) };
  }
}

/** Checks after each batch whether it reached new code, and then which of its inputs did. */
function startFeedback(tryAgain: (input: Input) => Promise<unknown>) {
  const coverage = startCoverage();
  const reached = new Set<string>();
  let batch: Input[] = [];
  let found = 0;
  return {
    found: () => found,
    close: () => coverage.close(),
    add: async (input: Input): Promise<Input[]> => {
      batch.push(input);
      if (batch.length < inputsPerBatch) return [];
      const tried = batch;
      batch = [];
      const fresh = new Set(coverage.takeBlocks().filter((block) => !reached.has(block)));
      for (const block of fresh) reached.add(block);
      const finders: Input[] = [];
      for (const one of tried) {
        if (fresh.size === 0) break;
        await tryAgain(one);
        const its = coverage.takeBlocks().filter((block) => fresh.delete(block));
        if (its.length > 0) finders.push(one);
      }
      found += finders.length;
      return finders;
    },
  };
}

async function failureOf(take: (input: Input) => Promise<void>, input: Input): Promise<string | undefined> {
  try {
    await take(input);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? String(error)).split("\n").slice(0, 3).join(" ") : String(error);
  }
}

/**
 * What stays used, of the heap and of buffers beside it, after collections: so many as `isEnough` asks for, which is given what was
 * used after the last one and after the one before it. The event loop turns in between: closed sockets give their buffers back only
 * then.
 */
async function usedBytes(isEnough: (now: number, before: number) => boolean): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < mostCollections; round += 1) {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const used = heapUsed + external;
    if (isEnough(used, least)) return Math.min(least, used);
    least = Math.min(least, used);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return least;
}
