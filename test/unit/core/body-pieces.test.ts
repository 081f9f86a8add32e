import { describe, expect, it } from "vitest";
import { watchPieces } from "../../../src/core/body-pieces.ts";

describe("the pieces of a body", () => {
  it.each([
    ["A172 single bytes", [1], 1_001],
    ["A172 nothing at all", [0], 1_001],
    ["A172 15 bytes each", [15], 1_001],
    ["A172 single bytes behind a large piece", [64_000, ...Array.from({ length: 5_000 }, () => 1)], 4_267],
    ["16 bytes each", [16], undefined],
    ["large and small ones in turn", [1, 1, 1, 1_000], undefined],
  ])("are too small when they have %s", (_, sizes, expected) => {
    const isTooSmall = watchPieces();
    const at = Array.from({ length: 6_000 }, (__, index) => sizes[index % sizes.length] ?? 0).findIndex(isTooSmall);
    expect(at < 0 ? undefined : at + 1).toBe(expected);
  });
});
