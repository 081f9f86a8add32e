import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withReplaced } from "../../../src/core/replaced-map.ts";

const base = new Map([
  ["a", 1],
  ["b", 2],
  ["c", 3],
]);

describe("withReplaced", () => {
  it("is the map itself when nothing is replaced", () => {
    expect(withReplaced(base, new Map())).toBe(base);
  });

  it("is a copy beyond a thousand values, and shares the map until then", () => {
    const keys = Array.from({ length: 1001 }, (_, key) => [key, 0] as const);
    expect(withReplaced(new Map(keys), new Map(keys.slice(1)))).not.toBeInstanceOf(Map);
    const copy = withReplaced(new Map(keys), new Map(keys.map(([key]) => [key, 1])));
    expect(copy).toBeInstanceOf(Map);
    expect([copy.size, new Set(copy.values())]).toEqual([1001, new Set([1])]);
  });

  it("leaves the map before as it was", () => {
    const once = withReplaced(base, new Map([["b", 20]]));
    const twice = withReplaced(once, new Map([["b", 200]]));
    expect([base.get("b"), once.get("b"), twice.get("b")]).toEqual([2, 20, 200]);
  });

  it("reads as a copy with the same values set does, however often something is replaced", () => {
    const size = 2500;
    const keys = Array.from({ length: size }, (_, index) => index);
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(size - 1), { maxLength: 900 }), { maxLength: 4 }), (rounds) => {
        const copy = new Map(keys.map((key) => [key, 0]));
        let map: ReadonlyMap<number, number> = new Map(copy);
        rounds.forEach((round, index) => {
          for (const key of round) copy.set(key, index + 1);
          map = withReplaced(map, new Map(round.map((key) => [key, index + 1])));
        });
        expect([...map]).toEqual([...copy]);
        expect([...map.keys()]).toEqual([...copy.keys()]);
        expect([...map.values()]).toEqual([...copy.values()]);
        expect([map.size, map.has(0), map.has(size), map.get(0)]).toEqual([copy.size, true, false, copy.get(0)]);
        const visited: [number, number][] = [];
        map.forEach((value, key) => visited.push([key, value]));
        expect(visited).toEqual([...copy]);
      }),
      { numRuns: 20 },
    );
  });
});
