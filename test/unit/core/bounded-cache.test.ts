import { describe, expect, it } from "vitest";
import { BoundedCache } from "../../../src/core/bounded-cache.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { leastGrowth } from "../../support/least-growth.ts";

describe("BoundedCache", () => {
  it("keeps what was used last", () => {
    const evicted: number[] = [];
    const cache = new BoundedCache<string, number>({ limit: 2, onEvicted: (value) => evicted.push(value) });
    cache.set("a", 1);
    cache.set("b", 2);
    expect(cache.get("a")).toBe(1);
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c"), evicted]).toEqual([1, undefined, 3, [2]]);
  });

  it("weighs its values, and forgets the weight of what is deleted or replaced", () => {
    const cache = new BoundedCache<string, string>({ limit: 10, weightOf: (text) => text.length });
    cache.set("a", "12345");
    cache.set("a", "1");
    cache.set("b", "123456789");
    expect(cache.size).toBe(2);
    cache.delete("b");
    cache.delete("b");
    cache.set("c", "123456789");
    expect([cache.get("a"), cache.size]).toEqual(["1", 2]);
    cache.set("d", "longer than the limit");
    expect([cache.get("d"), cache.size]).toEqual(["longer than the limit", 1]);
  });

  it("forgets in the order of use, also after each place of it was used again or deleted", () => {
    const evicted: string[] = [];
    const cache = new BoundedCache<string, string>({ limit: 4, onEvicted: (value) => evicted.push(value) });
    for (const key of ["a", "b", "c", "d"]) cache.set(key, key);
    for (const key of ["a", "c", "d", "d"]) cache.get(key);
    cache.delete("a");
    for (const key of ["e", "c", "f", "g", "h"]) cache.set(key, key);
    expect(evicted).toEqual(["b", "d", "e"]);
    for (const key of ["c", "f", "g", "h"]) cache.delete(key);
    cache.set("i", "i");
    expect([cache.get("i"), cache.size]).toEqual(["i", 1]);
  });

  it("forgets a value of a large cache at the cost of one of a small cache", () => {
    const forgetting = (limit: number): number => {
      const cache = new BoundedCache<number, number>({ limit });
      for (let key = 0; key < limit; key += 1) cache.set(key, key);
      let next = limit;
      return leastCpuMs(() => {
        for (const end = next + 60_000; next < end; next += 1) cache.set(next, next);
      });
    };
    forgetting(1000);
    const costs = { large: () => forgetting(100_000), small: () => forgetting(1000) };
    expect(leastGrowth(costs, 12)).toBeLessThan(12);
  });
});
