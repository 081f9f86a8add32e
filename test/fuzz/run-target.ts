import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { seededRandom } from "../support/seeded-random.ts";
import { diceOf, mutate } from "./random-input.ts";
import type { Input, Target } from "./target.ts";

/** No input may hold the loop for longer, in CPU time of this process. */
export const longestMs = 200;
/** No run may keep more, once garbage is collected: objects and buffers. */
export const mostGrowthBytes = 64 * 1024 * 1024;
/** An input without an answer by then is a failure, and ends the run. */
const answerDeadlineMs = 30_000;
const noAnswer = `no answer after ${answerDeadlineMs / 1000} s`;
const mostFailures = 20;

export interface FuzzRun {
  readonly seed: number;
  readonly durationMs: number;
  /** Inputs that failed before; tried first, and changed as the seeds are. */
  readonly corpus?: readonly Input[];
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
}

/** Gives inputs to a target until the time is over. The same seed gives the same inputs in the same order. */
export async function runTarget(target: Target, { seed, durationMs, corpus = [] }: FuzzRun): Promise<FuzzReport> {
  const seeds = [...corpus, ...target.seeds];
  const dice = diceOf(seededRandom(seed));
  const failures: Failure[] = [];
  let count = 0;
  let slowestMs = 0;
  const { take, close } = await target.open();
  const measure = async (input: Input): Promise<{ readonly failure: string | undefined; readonly tookMs: number }> => {
    const before = process.cpuUsage();
    const failure = await failureOf(take, input);
    const { user, system } = process.cpuUsage(before);
    return { failure, tookMs: (user + system) / 1000 };
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
  try {
    for (const input of seeds) await failureOf(take, input); // the first calls compile the code
    const usedBefore = await usedBytes();
    for (const input of seeds) await attempt(input);
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs && failures.length < mostFailures && failures.at(-1)?.reason !== noAnswer) {
      await attempt(dice.next() < 0.5 ? target.generate(dice) : changed(dice.pick(seeds)));
      if (count % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return { count, failures, slowestMs, grownBytes: (await usedBytes()) - usedBefore };
  } finally {
    await close();
  }

  function changed({ form, bytes }: Input): Input {
    return { form, bytes: mutate(dice, bytes) };
  }
}

async function failureOf(take: (input: Input) => Promise<void>, input: Input): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(noAnswer), answerDeadlineMs);
  });
  try {
    return await Promise.race([take(input).then(() => undefined), deadline]);
  } catch (error) {
    return String(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Of the heap and of buffers beside it. What is freed by a callback of the loop is freed after the second collection. */
async function usedBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
