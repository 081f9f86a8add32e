import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { countOfRun, fullCountFiles, variantsOfRun } from "../support/full-counts.ts";

const root = resolve(import.meta.dirname, "../..");
/** `describeEngines` takes the engines of the run. */
const isShort = /\b(?:countOfRun|variantsOfRun|describeEngines)\(/u;

describe("tests that repeat less in npm test", () => {
  it("are all in the list of those that CI runs in full", () => {
    const found = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
      .map((path) => `test/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".test.ts") && path !== "test/rules/full-counts.test.ts")
      .filter((path) => isShort.test(readFileSync(join(root, path), "utf8")));
    expect(found.sort()).toEqual([...fullCountFiles].sort());
  });

  it("run in full in a step of CI", () => {
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npx vitest run --project full");
  });

  it("have the short count here", () => {
    expect(countOfRun({ full: 50, short: 10 })).toBe(10);
  });

  it("have the variants here that are not those of the full run", () => {
    expect(variantsOfRun([{ name: "a" }, { name: "b", isInFullRun: true }])).toEqual([{ name: "a" }]);
  });
});
