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

  it("leaves a text without such a document as it is", () => {
    expect(editDocument(three, 7, [{ path: ["b"], value: 1 }])).toBe(three);
  });
});

describe("removeDocument", () => {
  it("takes out one document, and says when it was the last", () => {
    expect(removeDocument(three, 0)).toBe(three.slice(three.indexOf("---")));
    expect(removeDocument(three, 1)).toBe("# first\na: 1 # one\nm:\n  x: 1\n---\nc: 3\n");
    expect(removeDocument(three, 2)).toBe(three.slice(0, three.lastIndexOf("---")));
    expect(removeDocument("---\n# c\na: 1\n", 0)).toBeUndefined();
  });
});
