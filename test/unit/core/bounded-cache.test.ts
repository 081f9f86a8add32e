import { describe, expect, it } from "vitest";
import { BoundedCache } from "../../../src/core/bounded-cache.ts";

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
});
