import { expect, it } from "vitest";
import { makeContentCache } from "../../../../src/git/wire/content-cache.ts";

it("holds contents up to its bytes, and those that were used last", () => {
  const cache = makeContentCache<string>(10);
  cache.set("a", Buffer.alloc(4));
  cache.set("b", Buffer.alloc(6));
  cache.get("a");
  cache.set("c", Buffer.alloc(1));
  expect(["a", "b", "c"].map((key) => cache.get(key)?.length)).toEqual([4, undefined, 1]);
});

it("holds no content that is larger than all of it, nor an older one of the same key", () => {
  const cache = makeContentCache<string, string>(10, (text) => 2 * text.length);
  cache.set("a", "12345");
  expect(cache.get("a")).toBe("12345");
  cache.set("b", "123456");
  expect([cache.get("a"), cache.get("b")]).toEqual(["12345", undefined]);
  cache.set("a", "123456");
  expect(cache.get("a")).toBeUndefined();
});
