import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitsWithin, mostOpenFiles } from "../../../../src/embedded-hub/http/open-files.ts";
import { connectionLimits } from "../../../../src/embedded-hub/http/stranger-bound.ts";

describe("how many files may be open", () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "rollcall-limits-"))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const head = "Limit                     Soft Limit           Hard Limit           Units     \n";
  it.each([
    ["Max open files            1024                 524288               files     \n", 1024],
    ["Max open files            unlimited            unlimited            files     \n", undefined],
    ["Max processes             1024                 524288               processes \n", undefined],
  ])("is what the system allows: %j", (line, expected) => {
    const path = join(folder, "limits");
    writeFileSync(path, `${head}${line}`);
    expect(mostOpenFiles(path)).toBe(expected);
  });

  it("is not known where the system has no such file", () => {
    expect(mostOpenFiles(join(folder, "missing"))).toBeUndefined();
  });
});

describe("the limits of connections", () => {
  it.each([
    [undefined, 40_000, 12_000, 8_000, 1_000],
    [1_048_576, 40_000, 12_000, 8_000, 1_000],
    [22_000, 20_000, 6_000, 4_000, 500],
    [3_000, 1_500, 450, 300, 37],
    [600, 300, 90, 60, 7],
    [2, 1, 1, 1, 1],
  ])("A170 leave files for the store: of %s", (openFiles, ...expected) => {
    const [inAll, strangers, strangersOfAddress, crowd] = expected;
    expect(limitsWithin(openFiles)).toEqual({ ...connectionLimits, inAll, strangers, strangersOfAddress, crowd });
  });
});
