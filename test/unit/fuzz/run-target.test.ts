import { describe, expect, it } from "vitest";
import { mostGrowthBytes, runTarget } from "../../fuzz/run-target.ts";
import type { Input, Target } from "../../fuzz/target.ts";
import { inputOf } from "../../fuzz/target.ts";

const planted = inputOf("json", "planted");

/** Takes everything but the planted input, with which it does what the test says. */
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
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user + process.cpuUsage(before).system < durationMs * 1000);
}

describe("runTarget", () => {
  it("reports nothing of a target that takes everything", async () => {
    const { count, failures, grownBytes } = await run(() => undefined);
    expect({ count, failures }).toEqual({ count: 2, failures: [] });
    expect(grownBytes).toBeLessThan(mostGrowthBytes);
  });

  it("reports an input that makes its target throw", async () => {
    const { failures } = await run(() => {
      throw new TypeError("planted");
    });
    expect(failures).toEqual([{ input: planted, reason: "TypeError: planted" }]);
  });

  it("reports an input that holds the loop for 300 ms", async () => {
    const { failures } = await run(() => compute(300));
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
