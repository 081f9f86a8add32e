import { describe, expect, it } from "vitest";
import { editDocument, removeDocument } from "../../../src/manifests/edit-document.ts";

const three = `# first
a: 1 # one
m:
  x: 1
---
# second
b: {p: q,   r: s} # flow
---
c: 3
`;

describe("editDocument", () => {
  it("changes one document; its comments stay, and every byte of the others", () => {
    const edits = [
      { path: ["n", "l"], value: "yes" },
      { path: ["m", "x"], value: undefined },
    ];
    expect(editDocument(three, 0, edits)).toBe(three.replace("m:\n  x: 1\n", 'n:\n  l: "yes"\n'));
    expect(editDocument(three, 2, edits)).toBe(`${three}n:\n  l: "yes"\n`);
    expect(editDocument(three, 1, edits)).toBe(
      three.replace("b: {p: q,   r: s} # flow\n", 'b: { p: q, r: s } # flow\nn:\n  l: "yes"\n'),
    );
  });

  it.each([
    ["---\n# c\na: 1\n", "---\n# c\na: 1\nb: text\n", "a marked document"],
    ['{"a": {"b": 1}}\n', '{ "a": { "b": 1 }, "b": "text" }\n', "JSON, which stays JSON"],
    ["", "", "no document"],
  ])("writes into %j", (before, after, _reason) => {
    expect(editDocument(before, 0, [{ path: ["b"], value: "text" }])).toBe(after);
  });

  it("keeps the comment beside a value that changes", () => {
    expect(editDocument("a: 1 # one\nb: 2\n", 0, [{ path: ["a"], value: "x" }])).toBe("a: x # one\nb: 2\n");
  });

  it.each([
    { reason: "a value", before: "a: 1\nb: 2\n", path: ["a"], after: "b: 2\n" },
    {
      reason: "a value, and the maps that it leaves empty",
      before: "a:\n  b:\n    c: 1\nd: 2\n",
      path: ["a", "b", "c"],
      after: "d: 2\n",
    },
    {
      reason: "a value, and no map that has another",
      before: "a:\n  b:\n    c: 1\n  e: 3\n",
      path: ["a", "b", "c"],
      after: "a:\n  e: 3\n",
    },
    { reason: "the last value", before: "a: 1\n", path: ["a"], after: "{}\n" },
    { reason: "nothing that is not there", before: "a:  1\nb: {}\n", path: ["b", "c"], after: "a: 1\nb: {}\n" },
    { reason: "nothing below a text", before: "a: b\n", path: ["a", "c"], after: "a: b\n" },
  ])("takes out $reason", ({ before, path, after }) => {
    expect(editDocument(before, 0, [{ path, value: undefined }])).toBe(after);
  });

  it.each([
    { value: "yes", written: '"yes"' },
    { value: "010", written: '"010"' },
    { value: "12:30", written: '"12:30"' },
    { value: "1", written: '"1"' },
    { value: "", written: '""' },
    { value: "plain text", written: "plain text" },
    { value: "t".repeat(200), written: "t".repeat(200) },
    { value: `${"t ".repeat(100)}t`, written: `${"t ".repeat(100)}t` },
    { value: 1, written: "1" },
    { value: true, written: "true" },
  ])("writes $value so that each reader takes it for that", ({ value, written }) => {
    expect(editDocument("a: b\n", 0, [{ path: ["a"], value }])).toBe(`a: ${written}\n`);
  });

  it("quotes texts within maps and lists as well", () => {
    const value = { b: ["no", "c"], on: "d" };
    expect(editDocument("a: 1\n", 0, [{ path: ["a"], value }])).toBe('a:\n  b:\n    - "no"\n    - c\n  "on": d\n');
  });

  it("leaves no comment of a value beside the map that takes its place", () => {
    expect(editDocument("a: 1 # one\nb: 2\n", 0, [{ path: ["a"], value: { c: 1 } }])).toBe("a:\n  c: 1\nb: 2\n");
  });

  it.each([
    { reason: "a directive", before: "a: 1\n...\n%YAML 1.2\n---\nb: 2\n", after: "a: 1\n...\n%YAML 1.2\n---\nb: 3\n" },
    { reason: "nothing, behind the end of the first", before: "a: 1\n...\nb: 2\n", after: "a: 1\n...\nb: 3\n" },
    { reason: "a line of ---", before: "a: 1\n---\nb: 2\n", after: "a: 1\n---\nb: 3\n" },
    { reason: "a comment", before: "a: 1\n---\n# c\nb: 2\n---\nc: 3\n", after: "a: 1\n---\n# c\nb: 3\n---\nc: 3\n" },
  ])("writes a second document that begins with $reason", ({ before, after }) => {
    expect(editDocument(before, 1, [{ path: ["b"], value: 3 }])).toBe(after);
  });

  it("leaves a text without such a document as it is", () => {
    expect(editDocument(three, 7, [{ path: ["b"], value: 1 }])).toBe(three);
  });
});

describe("removeDocument", () => {
  it("takes out one document, and returns nothing when it was the last", () => {
    expect(removeDocument(three, 0)).toBe(three.slice(three.indexOf("---")));
    expect(removeDocument(three, 1)).toBe("# first\na: 1 # one\nm:\n  x: 1\n---\nc: 3\n");
    expect(removeDocument(three, 2)).toBe(three.slice(0, three.lastIndexOf("---")));
    expect(removeDocument("---\n# c\na: 1\n", 0)).toBeUndefined();
  });

  it.each([
    { reason: "a comment", text: "a: 1\n---\n# nothing\n" },
    { reason: "a separator", text: "a: 1\n---\n" },
    { reason: "separators", text: "a: 1\n---\n---\n# nothing\n---\n" },
  ])("leaves no file where only $reason would be left", ({ text }) => {
    expect(removeDocument(text, 0)).toBeUndefined();
  });

  it.each(["null", "''", "~", "b: 2", "[]"])("leaves a document behind that is %s", (other) => {
    expect(removeDocument(`a: 1\n---\n${other}\n`, 0)).toBe(`---\n${other}\n`);
  });

  it("leaves a text without such a document as it is", () => {
    expect(removeDocument(three, 7)).toBe(three);
  });
});

describe("a file with the line ends of Windows", () => {
  const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join("");

  it("keeps them in all lines of a document that is edited", () => {
    const fileOf = (x: string): string =>
      lines(
        "# head",
        "kind: Cluster # of ours",
        "metadata:",
        "  labels:",
        "    # why",
        `    x: "${x}"`,
        "text: |",
        "  one",
      );
    const text = `${fileOf("1")}${lines("---", "a: 1")}`;
    const edits = [{ path: ["metadata", "labels", "x"], value: "2" }];
    expect(editDocument(text, 0, edits)).toBe(`${fileOf("2")}${lines("---", "a: 1")}`);
  });

  it("has none in a file that has others", () => {
    expect(editDocument("a: 1\nb: 2\n", 0, [{ path: ["b"], value: 3 }])).toBe("a: 1\nb: 3\n");
  });
});
