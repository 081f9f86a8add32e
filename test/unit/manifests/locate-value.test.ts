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

  const values = `a: ""
b: null
b: 2
c: ~
d: !!null
e: &x f
*x : g
x: h
`;

  it.each<{ path: string; at: string; reason: string }>([
    { path: "a", at: "1:4", reason: "an empty text in quotes" },
    { path: "b", at: "2:4", reason: "the first of two equal keys, and null where it is written" },
    { path: "c", at: "4:4", reason: "null as a sign" },
    { path: "x", at: "8:4", reason: "a key, and no alias of its name" },
  ])("finds $reason", ({ path, at }) => {
    const { line, column } = createLocator(values)({ index: 0, path: [path], part: "value" });
    expect(`${line}:${column}`).toBe(at);
  });

  it.each([
    ["", "1:1"],
    ["# nothing\n", "1:1"],
    ["---\n", "1:4"],
    ["# nothing\n---\n# nothing\n", "2:4"],
  ])("finds a place in a file without a value: %j", (empty, at) => {
    const { line, column } = createLocator(empty)({ index: 0, path: ["a"], part: "value" });
    expect(`${line}:${column}`).toBe(at);
  });
});
