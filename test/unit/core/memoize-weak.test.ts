import { expect, it } from "vitest";
import { memoizeWeak } from "../../../src/core/memoize-weak.ts";

it("computes once for the same objects, and again when any of them is another", () => {
  const calls: unknown[] = [];
  const sum = memoizeWeak((key: { readonly a: number }, other: { readonly b: number } | undefined) => {
    calls.push([key, other]);
    return { sum: key.a + (other?.b ?? 0) };
  });
  const key = { a: 1 };
  const other = { b: 2 };
  const first = sum(key, other);
  expect(first).toEqual({ sum: 3 });
  expect(sum(key, other)).toBe(first);
  expect(calls).toHaveLength(1);
  expect(sum(key, undefined)).toEqual({ sum: 1 });
  expect(sum(key, { b: 2 })).toEqual({ sum: 3 });
  expect(sum({ a: 1 }, other)).not.toBe(first);
  expect(calls).toHaveLength(4);
});

it("distinguishes calls with more or fewer arguments", () => {
  const count = memoizeWeak((_key: object, ...rest: readonly string[]) => rest.length);
  const key = {};
  expect([count(key), count(key, "a"), count(key, "a", "b"), count(key, "a")]).toEqual([0, 1, 2, 1]);
});
