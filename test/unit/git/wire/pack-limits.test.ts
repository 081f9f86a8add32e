import { describe, expect, it } from "vitest";
import { largeBlobBytes, makePackBudget } from "../../../../src/git/wire/pack-limits.ts";

const mebibyte = 1024 ** 2;
const tooLarge = (sizeBytes: number, maximumBytes: number): object =>
  expect.objectContaining({ code: "E_UNSUPPORTED", data: { sizeBytes, maximumBytes } }) as object;

describe("the budget of a pack", () => {
  it.each(["inflate", "make"] as const)("A57 counts all objects together: %s", (step) => {
    const budget = makePackBudget({ maximumInflatedBytes: 10, maximumTotalBytes: 10 }, 0);
    for (const sizeBytes of [6, 4]) budget[step](sizeBytes);
    expect(() => budget[step](1)).toThrow(tooLarge(11, 10));
  });

  it("A57 counts what deltas make of 8 MiB and more as unpacked, too", () => {
    const budget = makePackBudget({ maximumInflatedBytes: largeBlobBytes }, 0);
    for (const _time of [1, 2, 3]) budget.make(largeBlobBytes - 1);
    budget.make(largeBlobBytes);
    expect(() => budget.inflate(1)).toThrow(tooLarge(largeBlobBytes + 1, largeBlobBytes));
  });

  it.each([
    ["inflate", 0, 128 * mebibyte],
    ["inflate", 1000, 128 * mebibyte + 20_000],
  ] as const)("A57 of %s grows with the pack of %i bytes", (step, packBytes, maximumBytes) => {
    const budget = makePackBudget({}, packBytes);
    budget[step](maximumBytes);
    expect(() => budget[step](1)).toThrow(tooLarge(maximumBytes + 1, maximumBytes));
    expect(budget.maximumObjectBytes).toBe(32 * mebibyte);
  });
});
