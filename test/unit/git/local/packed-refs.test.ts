import { describe, expect, it } from "vitest";
import { formatPackedRefs, parsePackedRefs, withoutPackedRef } from "../../../../src/git/local/packed-refs.ts";

describe("packed refs", () => {
  it("are read without peeled tags, comments and damage", () => {
    const id = "1".repeat(40);
    const text = `# pack-refs with: peeled fully-peeled sorted \n${id} refs/heads/a\n${id} refs/tags/t\n^${id}\nrubbish\n123 refs/x\n`;
    expect([...parsePackedRefs(text)]).toEqual([
      ["refs/heads/a", id],
      ["refs/tags/t", id],
    ]);
  });

  it.each([
    ["refs/tags/a", [0, 3, 4, 5]],
    ["refs/tags/b", [0, 1, 2, 5]],
    ["refs/heads/c", [0, 1, 2, 3, 4]],
    ["refs/heads/a", [0, 1, 2, 3, 4, 5]],
    ["refs/comment", [0, 1, 2, 3, 4, 5]],
  ])("lose %s and what it was peeled to, and nothing else", (ref, kept) => {
    const [id, peeled] = ["1".repeat(40), `^${"2".repeat(40)}`];
    const lines = ["# refs/comment", `${id} refs/tags/a`, peeled, `${id} refs/tags/b`, peeled, `${id} refs/heads/c`];
    expect(withoutPackedRef(`${lines.join("\n")}\n`, ref)).toBe(`${kept.map((at) => lines[at]).join("\n")}\n`);
  });

  it("are written sorted and read back", () => {
    const refs = new Map([
      ["refs/heads/b", "2".repeat(40)],
      ["refs/heads/a", "3".repeat(40)],
    ]);
    const text = formatPackedRefs(refs);
    expect(text.split("\n")[1]).toBe(`${"3".repeat(40)} refs/heads/a`);
    expect(new Map(parsePackedRefs(text))).toEqual(refs);
  });

  it("are sorted by the bytes of their names, whatever the ids of a repository are", () => {
    const names = ["refs/heads/\u{1f600}", "refs/heads/\ufb01", "refs/heads/b", "refs/heads/a"];
    const refs = new Map(names.map((name, index) => [name, String(index + 1).repeat(64)]));
    expect([...parsePackedRefs(formatPackedRefs(refs)).keys()]).toEqual([
      "refs/heads/a",
      "refs/heads/b",
      "refs/heads/\ufb01",
      "refs/heads/\u{1f600}",
    ]);
  });
});
