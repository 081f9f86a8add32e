import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedKeys } from "../../../../src/embedded-hub/store/sorted-keys.ts";

describe("SortedKeys", () => {
  it("lists the names that begin with the last character there is", () => {
    const keys = new SortedKeys();
    for (const key of ["roles/a", "roles/\uffffb", "roles/\uffff", "rolesz"]) keys.add(key);
    expect(keys.range("roles/")).toEqual({ from: 0, to: 3 });
  });

  it("is what a sorted set would be, after any additions and removals", () => {
    const step = fc.tuple(fc.boolean(), fc.string({ maxLength: 3, unit: "grapheme-ascii" }));
    fc.assert(
      fc.property(fc.array(step), fc.string({ maxLength: 2, unit: "grapheme-ascii" }), (steps, prefix) => {
        const keys = new SortedKeys();
        const model = new Set<string>();
        for (const [isAdded, key] of steps) {
          if (isAdded) keys.add(key);
          else keys.remove(key);
          if (isAdded) model.add(key);
          else model.delete(key);
        }
        const sorted = [...model].sort();
        expect(Array.from({ length: keys.size }, (_, index) => keys.at(index))).toEqual(sorted);
        const { from, to } = keys.range(prefix);
        expect(sorted.slice(from, to)).toEqual(sorted.filter((key) => key.startsWith(prefix)));
      }),
    );
  });
});
