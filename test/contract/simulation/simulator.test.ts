// The simulator replaces clocks and random numbers, and therefore is a process of its own (docs/simulation.md).
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { optimizeLate } from "../../support/optimize-late.ts";
import { failedSeeds } from "../../simulation/seeds.ts";

/** So many run again: that shows that a seed has one trace. */
const againCount = 2;
const seedCount = failedSeeds.length;

const root = resolve(import.meta.dirname, "../../..");

/** What the script prints on its standard output, and its exit code. */
function runScript(script: string, ...options: string[]): Promise<{ readonly output: string; readonly code: number }> {
  return new Promise((done) => {
    const args = [...optimizeLate, join(root, "scripts", script), ...options];
    const child = execFile(process.execPath, args, { cwd: root }, (_, output) =>
      done({ output, code: child.exitCode ?? 1 }),
    );
  });
}

function tracesOf(output: string): readonly string[] {
  return output.match(/^seed \d+: .* trace [0-9a-f]{64}$/gmu) ?? [];
}

describe("simulator", () => {
  it("passes each seed that once failed, with the same trace each time", async () => {
    const run = (count: number) => runScript("simulate.mjs", "--failed", "--seeds", String(count));
    const [one, again] = await Promise.all([run(seedCount), run(againCount)]);
    expect(one.output).not.toContain("VIOLATED");
    expect(one.output).toMatch(/^Seeds {2}0 failed \| [1-9]\d* passed/mu);
    expect(one.code).toBe(0);
    expect(tracesOf(one.output)).toHaveLength(seedCount);
    expect(tracesOf(again.output)).toEqual(tracesOf(one.output).slice(0, againCount));
  });

  it("finds a planted fault", async () => {
    const options = ["--only", "a heartbeat waits three periods", "--seed", "20", "--seeds", "1", "--hours", "0.5"];
    const { output } = await runScript("simulate-planted.mjs", ...options, "--clusters", "3");
    expect(output).toContain("| a heartbeat waits three periods | found | ");
    expect(output).toContain("1 of 1 are found");
  });
});
