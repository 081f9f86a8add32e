import { describe, expect, it } from "vitest";
import { mapOf, removeFrom, setOf } from "../../../src/hub/nested-maps.ts";

describe("sets of keys by owner", () => {
  it("are made once, and removed with their last key", () => {
    const map = new Map<string, Set<string>>();
    setOf(map, "a").add("1");
    setOf(map, "a").add("2");
    removeFrom(map, "a", "1");
    expect(map).toEqual(new Map([["a", new Set(["2"])]]));
    removeFrom(map, "a", "2");
    removeFrom(map, "b", "2");
    expect(map.size).toBe(0);
  });

  it("give the same inner map each time", () => {
    const map = new Map<string, Map<string, number>>();
    mapOf(map, "a").set("x", 1);
    expect(mapOf(map, "a").get("x")).toBe(1);
  });
});
