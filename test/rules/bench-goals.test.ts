import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scaleBenches, scaleTable } from "../bench/scale-goals.mjs";

const root = join(import.meta.dirname, "../..");

describe("the table of npm run bench -- scale", () => {
  it.each(scaleBenches)("names a benchmark that is there: %s", async (name) => {
    const path = name.includes("/") ? name : join("test/bench", name);
    expect(await readFile(join(root, path), "utf8")).not.toBe("");
  });

  it("takes a value from the printed text, and reports a missing one", () => {
    const printed = "pushes   count=2  cpuMsEach=41  cpuMsMedian=30  msUntilRunEnds=55  msUntilRunEndsP99=87\n";
    const lines = scaleTable(new Map([["daemon-alone.bench.ts", printed]])).map((line) => line.replace(/ +/gu, " "));
    expect(lines).toContain("One label: CPU of the daemon, mean wanted 30 ms seen 41 ms");
    expect(lines).toContain("One label: from the push until the run ends, p99 wanted 250 ms seen 87 ms");
    expect(lines).toContain("Memory of an agent wanted 45 MB seen not measured, see above: up.bench.mjs");
  });
});
