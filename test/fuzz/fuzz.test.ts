import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/digest.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { diceOf, mutate } from "./random-input.ts";
import { targets } from "./targets.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? "1");
const wanted = process.env["FUZZ_TARGET"] ?? "all";
const names = Object.keys(targets).filter((name) => wanted === "all" || wanted === name);
const shareMs = (Number(process.env["FUZZ_MINUTES"] ?? "1") * 60_000) / Math.max(1, names.length);

/** No input may hold the loop for longer, in CPU time of this process. */
const longestMs = 200;
const mostGrowthBytes = 64 * 1024 * 1024;

function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

describe(`fuzzing with seed ${seed}`, () => {
  it("knows the target", () => expect(names.length).toBeGreaterThan(0));

  it.each(names)(
    "finds nothing in %s that crashes, holds the loop or keeps memory",
    { timeout: shareMs + 120_000 },
    async (name) => {
      const target = targets[name];
      if (target === undefined) throw new Error(`there is no target ${name}`);
      const folder = join(import.meta.dirname, "corpus", name);
      mkdirSync(folder, { recursive: true });
      const corpus = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
      const seeds = [...corpus, ...target.seeds.map((text) => Buffer.from(text))];
      const dice = diceOf(seededRandom(seed));
      const { take, close } = await target.open();
      const found: string[] = [];
      let count = 0;
      let slowestMs = 0;
      const attempt = async (input: Uint8Array): Promise<void> => {
        const before = process.cpuUsage();
        const failure = await take(input).then(
          () => undefined,
          (error: unknown) => String(error),
        );
        const { user, system } = process.cpuUsage(before);
        const tookMs = (user + system) / 1000;
        count += 1;
        slowestMs = Math.max(slowestMs, tookMs);
        if (failure === undefined && tookMs <= longestMs) return;
        const file = join(folder, sha256Hex(input).slice(0, 16));
        writeFileSync(file, input);
        found.push(`${file}: ${failure ?? `${Math.round(tookMs)} ms`}`);
      };
      try {
        for (const input of seeds) await take(input).catch(() => undefined); // code is compiled on the first calls
        for (const input of seeds) await attempt(input);
        const endMs = performance.now() + shareMs;
        const usedBefore = usedBytes();
        while (performance.now() < endMs && found.length < 20) {
          await attempt(dice.next() < 0.5 ? Buffer.from(target.generate(dice)) : mutate(dice, dice.pick(seeds)));
          if (count % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        const grownBytes = usedBytes() - usedBefore;
        process.stdout.write(
          `${name}: ${count} inputs, slowest ${Math.round(slowestMs)} ms, memory +${Math.round(grownBytes / 1e6)} MB\n`,
        );
        expect(found).toEqual([]);
        expect(grownBytes).toBeLessThan(mostGrowthBytes);
      } finally {
        await close();
      }
    },
  );
});
