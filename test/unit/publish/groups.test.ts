import { describe, expect, it } from "vitest";
import { createGroups } from "../../../src/publish/groups.ts";

describe("createGroups", () => {
  it("gives the values of a group, in the order in which they came", () => {
    const groups = createGroups<number>();
    groups.add("a", "one", 1);
    groups.add("b", "two", 2);
    groups.add("a", "three", 3);
    expect([groups.of("a"), groups.of("b"), groups.of("c")]).toEqual([[1, 3], [2], []]);
  });

  it("forgets a value by its name, whichever group it is in, and lets it come to another one", () => {
    const groups = createGroups<number>();
    groups.add("a", "one", 1);
    groups.remove("one");
    groups.remove("two");
    expect(groups.of("a")).toEqual([]);
    groups.add("b", "one", 1);
    groups.remove("one");
    expect([groups.of("a"), groups.of("b")]).toEqual([[], []]);
  });
});
