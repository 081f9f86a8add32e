import { describe, expect, it } from "vitest";
import { parseYaml } from "../../../src/manifests/parse-yaml.ts";
import { scanSimpleYaml } from "../../../src/manifests/scan-simple-yaml.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const nestedMaps = (depth: number): string =>
  numbers(depth)
    .map((level) => `${" ".repeat(level)}a:\n`)
    .join("");
const nestedLists = (depth: number): string => `${"- ".repeat(depth)}a\n`;
const nestedItems = (depth: number): string =>
  numbers(depth)
    .map((level) => `${" ".repeat(level)}-\n`)
    .join("");

function isReadAlike(text: string): boolean {
  const documents = scanSimpleYaml(text);
  if (documents === undefined) return false;
  const { composed: _composed, ...stream } = parseYaml(text);
  expect({ documents, streamError: undefined }).toEqual(stream);
  return true;
}

describe("scanSimpleYaml", () => {
  it.each([
    { what: "maps 24 deep", most: nestedMaps(24), more: nestedMaps(25) },
    { what: "lists 24 deep", most: nestedItems(24), more: nestedItems(25) },
    {
      what: "5,000 entries of a map",
      most: numbers(5000)
        .map((index) => `k${index}: 1\n`)
        .join(""),
      more: numbers(5001)
        .map((index) => `k${index}: 1\n`)
        .join(""),
    },
    { what: "5,000 entries of a list", most: "- 1\n".repeat(5000), more: "- 1\n".repeat(5001) },
    { what: "a key of 999 characters", most: `${"k".repeat(999)}: 1\n`, more: `${"k".repeat(1000)}: 1\n` },
    {
      what: "brackets nine deep",
      most: `a: ${"[".repeat(9)}${"]".repeat(9)}\n`,
      more: `a: ${"[".repeat(10)}${"]".repeat(10)}\n`,
    },
  ])("A17 reads $what, and leaves more to the parser", ({ most, more }) => {
    expect(isReadAlike(most)).toBe(true);
    expect(scanSimpleYaml(more)).toBeUndefined();
  });

  it.each([
    {
      what: "many maps beside each other",
      text: numbers(60)
        .map((index) => `k${index}:\n  a: 1\n`)
        .join(""),
    },
    {
      what: "many lists beside each other",
      text: numbers(60)
        .map((index) => `k${index}:\n- a\n`)
        .join(""),
    },
    { what: "a long key behind a long text", text: `a: ${"t".repeat(900)}\n${"k".repeat(900)}: 1\n` },
    { what: "an anchor for each document", text: "---\na: &x 1\nb: *x\n".repeat(60) },
  ])("reads $what: no bound is of the whole file", ({ text }) => {
    expect(isReadAlike(text)).toBe(true);
  });

  it.each([
    { reason: "a list in a list on one line", text: nestedLists(2) },
    { reason: "an empty document at an end without line end", text: "---\n# c" },
    { reason: "a separator that is indented", text: "a:\n  ---\nb: 1\n" },
    { reason: "a separator with a value", text: "--- a\n" },
    { reason: "a line that is indented less than the first", text: "  a: 1\nb: 2\n" },
    { reason: "a line between two levels", text: "a:\n    b:\n        c: 1\n      d: 2\n" },
    { reason: "an item between two levels", text: "a:\n  - b\n - c\n" },
    { reason: "an item in the column of a map", text: "a: 1\n- b\n" },
    { reason: "an item in the column of a deeper map", text: "a:\n  b: 1\n  - c\n" },
    { reason: "a key in the column of items", text: "- a\nb: 1\n" },
    { reason: "a text that continues below", text: "a:\n- b\n   c\n" },
    { reason: "a quoted text that continues below", text: "a: 'b'\n  c: d\n" },
    { reason: "an anchor with another letter", text: "a: &é b\n" },
    { reason: "an anchor of items in the column of their key", text: "a: &x\n- b\n" },
    { reason: "a tilde as a key", text: "~: a\n" },
    { reason: "a word in capital letters as a key", text: "Null: a\n" },
    { reason: "a text behind a quoted one", text: 'a: "b" c\n' },
    { reason: "a text behind brackets", text: "a: [b] c\n" },
    { reason: "a text behind an alias", text: "a: &x b\nc: *x d\n" },
    { reason: "a comment without a space in front", text: 'a: "b"#c\n' },
    { reason: "a colon at the end", text: "a: b:\n" },
    { reason: "a colon within", text: "a: b: c # d\n" },
  ])("leaves to the parser $reason", ({ text }) => {
    expect(scanSimpleYaml(text)).toBeUndefined();
  });

  it.each([
    { reason: "a key without value, and one behind it", text: "a:\nb: 1\n" },
    { reason: "items without value", text: "-\n-\n- a\n-\n" },
    { reason: "quoted keys", text: '"a b": 1\n\'c: d\': 2\n"": 3\n' },
    { reason: "anchors of null", text: "a: &x ~\nb: &y null\nc: [*x, *y]\n" },
    { reason: "a number sign within a text", text: "a: b#c # d\ne: f# g\n" },
    { reason: "spaces behind everything", text: "a:   b   \nc:   \n  - d   \n--- \ne: [f]  \n" },
    { reason: "a comment behind a key, a dash and a separator", text: "--- # a\nb: # c\n- # d\n- e\n" },
    { reason: "a document that is indented", text: "  a: 1\n  b: 2\n" },
  ])("reads $reason", ({ text }) => {
    expect(isReadAlike(text)).toBe(true);
  });
});
