import { describe, expect, it } from "vitest";
import { parseGoDuration } from "../../../src/core/formats/go-duration.ts";
import { mostGrowthBytes, runTarget } from "../../fuzz/run-target.ts";
import type { Input, Target } from "../../fuzz/target.ts";
import { inputOf } from "../../fuzz/target.ts";
import { ofThisMachine, startCpuWatch } from "../../support/of-this-machine.ts";

const planted = inputOf("json", "planted");

/** Takes everything but the planted input, on which it fails as the test wants. */
function targetWith(fault: () => void): Target {
  return {
    seeds: [inputOf("json", "harmless"), planted],
    generate: () => inputOf("json", "random"),
    open: async () => ({
      take: async ({ bytes }: Input) => {
        if (Buffer.from(bytes).toString() === "planted") fault();
      },
      close: async () => undefined,
    }),
  };
}

const run = (fault: () => void) => runTarget(targetWith(fault), { seed: 1, durationMs: 0 });

/** Holds the loop for so much CPU time, however busy the machine is. */
function compute(durationMs: number): void {
  const sinceMs = startCpuWatch();
  while (sinceMs() < durationMs);
}

describe("runTarget", () => {
  it("ends after so many inputs, the same for the same seed", async () => {
    const tried: string[][] = [[], []];
    for (const list of tried) {
      const target = targetWith(() => undefined);
      const open: Target["open"] = async () => ({
        take: async ({ bytes }) => void list.push(Buffer.from(bytes).toString("latin1")),
        close: async () => undefined,
      });
      const { count } = await runTarget({ ...target, open }, { seed: 7, durationMs: 60_000, mostInputs: 200 });
      expect(count).toBe(200);
    }
    expect(tried[0]).toEqual(tried[1]);
  });

  it("changes inputs that reach new code when it is to follow coverage", async () => {
    const open: Target["open"] = async () => ({
      take: async ({ bytes }) => void parseGoDuration(Buffer.from(bytes).toString("latin1")),
      close: async () => undefined,
    });
    const target: Target = {
      seeds: [inputOf("", "x")],
      generate: (dice) => inputOf("", dice.pick(["1h", "0", "y"])),
      open,
    };
    const { found } = await runTarget(target, { seed: 1, durationMs: 60_000, mostInputs: 200, hasCoverage: true });
    expect(found).toBeGreaterThan(0);
  });

  it("reports nothing of a target that takes everything", async () => {
    const { count, failures, grownBytes } = await run(() => undefined);
    expect({ count, failures }).toEqual({ count: 2, failures: [] });
    expect(grownBytes).toBeLessThan(mostGrowthBytes);
  });

  it("reports an input that makes its target throw", async () => {
    const { failures } = await run(() => {
      throw new TypeError("planted");
    });
    expect(failures).toEqual([{ input: planted, reason: expect.stringMatching(/^TypeError: planted/u) as unknown }]);
  });

  it("reports an input that holds the loop for 600 ms of the machine of the bounds", async () => {
    let calls = 0;
    const { failures } = await run(() => {
      calls += 1;
      // The first call is not measured.
      if (calls > 1) compute(ofThisMachine(600));
    });
    expect(failures).toEqual([{ input: planted, reason: expect.stringMatching(/^\d+ ms$/u) as unknown }]);
  });

  it.each([["buffers", () => Buffer.alloc(100 * 1024 * 1024, 1)]])(
    "reports a target that keeps at least 100 MB of %s",
    async (_what, make) => {
      const kept: unknown[] = [];
      let calls = 0;
      const { grownBytes } = await run(() => {
        calls += 1;
        // The first call is before the measurement.
        if (calls === 2) kept.push(make());
      });
      expect(kept).toHaveLength(1);
      expect(grownBytes).toBeGreaterThan(mostGrowthBytes);
    },
  );
});
