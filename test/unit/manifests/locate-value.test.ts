import { describe, expect, it } from "vitest";
import type { Place } from "../../../src/manifests/locate-value.ts";
import { createLocator } from "../../../src/manifests/locate-value.ts";

const text = `# first
a:
  b: &x [1, {c: 2}]
  "d e": "f"
  g:
1: h
---
a: *x
`;

describe("createLocator", () => {
  it.each<{ place: Place; at: string; reason: string }>([
    { place: { index: 0, path: [], part: "value" }, at: "2:1", reason: "the document" },
    { place: { index: 0, path: ["a", "b"], part: "key" }, at: "3:3", reason: "a key" },
    { place: { index: 0, path: ["a", "b", 0], part: "value" }, at: "3:10", reason: "an item" },
    { place: { index: 0, path: ["a", "b", "1", "c"], part: "value" }, at: "3:17", reason: "an index as text" },
    { place: { index: 0, path: ["a", "d e"], part: "value" }, at: "4:10", reason: "a key in quotes" },
    { place: { index: 0, path: ["a", "g"], part: "value" }, at: "5:3", reason: "an empty value: its key" },
    { place: { index: 0, path: ["1"], part: "value" }, at: "6:4", reason: "a key that is a number" },
    { place: { index: 0, path: ["a", "x", "y"], part: "key" }, at: "2:1", reason: "what is there of a path" },
    { place: { index: 1, path: ["a", 0], part: "value" }, at: "8:4", reason: "an alias, not what it stands for" },
    { place: { index: 7, path: ["a"], part: "value" }, at: "1:1", reason: "a document that does not exist" },
  ])("finds $reason", ({ place, at }) => {
    const { line, column } = createLocator(text)(place);
    expect(`${line}:${column}`).toBe(at);
  });
});
