import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { fullCountFiles } from "../support/full-counts.ts";
import { longFiles } from "../support/long-files.ts";

const root = resolve(import.meta.dirname, "../..");

describe("long test files, which npm test leaves out", () => {
  it.each(longFiles)("are there (%s)", (file) => {
    expect(existsSync(join(root, file))).toBe(true);
  });

  it("run in a step of CI, with every count in full", () => {
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npx vitest run --project long\n");
    expect(readFileSync(join(root, ".github/workflows/ci.yml"), "utf8")).toContain("npm run test:long\n");
    expect(longFiles.filter((file) => fullCountFiles.includes(file))).toEqual([]);
  });
});
