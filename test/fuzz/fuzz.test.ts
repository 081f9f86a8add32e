import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/digest.ts";
import { mostGrowthBytes, runTarget } from "./run-target.ts";
import type { Input } from "./target.ts";
import { namedTargets, targets } from "./targets.ts";
import { startWatchdog } from "./watchdog.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? "1");
const wanted = process.env["FUZZ_TARGET"] ?? "all";
const mostInputs = Number(process.env["FUZZ_INPUTS"] || Infinity);
const hasCoverage = process.env["FUZZ_COVERAGE"] === "true";
const chosen =
  wanted === "all"
    ? Object.entries(targets)
    : Object.entries({ ...targets, ...namedTargets }).filter(([name]) => wanted.split(",").includes(name));
const shareMs = (Number(process.env["FUZZ_MINUTES"] ?? "1") * 60_000) / Math.max(1, chosen.length);
const folder = join(import.meta.dirname, "corpus");

/** Files of the corpus are `<target>-<form>-<digest>`. */
function corpusOf(target: string): Input[] {
  const files = readdirSync(folder).filter((file) => file.startsWith(`${target}-`));
  return files.map((file) => ({ form: file.split("-")[1] ?? "", bytes: readFileSync(join(folder, file)) }));
}

function keep(target: string, { form, bytes }: Input): string {
  const file = `${target}-${form}-${sha256Hex(bytes).slice(0, 16)}`;
  writeFileSync(join(folder, file), bytes);
  return file;
}

describe(`fuzzing with seed ${seed}`, () => {
  let total = 0;
  afterAll(() => void process.stdout.write(`all (seed ${seed}): ${total} inputs\n`));

  it("knows the target", () => expect(chosen.length).toBeGreaterThan(0));

  it.each(chosen)(
    "finds nothing in %s that crashes, holds the loop or keeps memory",
    { timeout: shareMs + 120_000 },
    async (name, target) => {
      const watchdog = startWatchdog({ file: join(folder, name) });
      const options = { seed, durationMs: shareMs, mostInputs, hasCoverage, watchdog, corpus: corpusOf(name) };
      const { count, failures, slowestMs, grownBytes, found } = await runTarget(target, options);
      await watchdog.close();
      total += count;
      const figures = `slowest ${Math.round(slowestMs)} ms, memory +${Math.round(grownBytes / 1e6)} MB`;
      const reached = hasCoverage ? `, ${found} reached new code` : "";
      process.stdout.write(`${name} (seed ${seed}): ${count} inputs, ${figures}${reached}\n`);
      expect(failures.map(({ input, reason }) => `${keep(name, input)}: ${reason}`)).toEqual([]);
      expect(grownBytes).toBeLessThan(mostGrowthBytes);
    },
  );
});
