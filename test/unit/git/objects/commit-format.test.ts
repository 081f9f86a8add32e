import { describe, expect, it } from "vitest";
import { formatCommit, parseCommit, parseCommitSignature } from "../../../../src/git/objects/commit-format.ts";
import type { CommitDraft } from "../../../../src/git/objects/commit-format.ts";

const [treeId, parent] = ["a".repeat(40), "b".repeat(40)];
const draft: CommitDraft = {
  ...{ format: "sha1", treeId, parent, author: { name: " Ann <x>\n", email: "ann@example.com" } },
  ...{ committer: { name: "Bob", email: "bob@example.com" }, committedAtMs: 1_700_000_000_999, message: "Hello\n" },
};

describe("formatCommit", () => {
  it("writes a commit as git does", async () => {
    expect((await formatCommit(draft)).toString()).toBe(
      [`tree ${treeId}`, `parent ${parent}`, "author Ann x <ann@example.com> 1700000000 +0000"]
        .concat("committer Bob <bob@example.com> 1700000000 +0000", "", "Hello\n")
        .join("\n"),
    );
    const { committer: _, ...alone } = { ...draft, parent: undefined, committedAtMs: -5000 };
    const person = "Ann x <ann@example.com> 0 +0000";
    expect((await formatCommit(alone)).toString()).toBe(
      [`tree ${treeId}`, `author ${person}`, `committer ${person}`, "", "Hello\n"].join("\n"),
    );
  });

  it("signs the very bytes of the commit without its signature", async () => {
    const signed: string[] = [];
    const sign = (payload: string) => Promise.resolve(`SIGNATURE of ${signed.push(payload)}\r\nend\n`);
    const content = await formatCommit({ ...draft, sign });
    expect(signed).toEqual([(await formatCommit(draft)).toString()]);
    expect(parseCommitSignature("id", content)).toEqual({
      payload: await formatCommit(draft),
      armoured: "SIGNATURE of 1\nend",
    });
  });
});

describe("parseCommit", () => {
  it("gives what was written", async () => {
    expect(parseCommit("id", await formatCommit(draft))).toEqual({
      ...{ id: "id", treeId, parents: [parent], author: { name: "Ann x", email: "ann@example.com" } },
      ...{ committedAtMs: 1_700_000_000_000, message: "Hello\n" },
    });
  });

  it("gives all parents, in their order", () => {
    const parents = ["c".repeat(40), parent];
    const text = `tree ${treeId}\n${parents.map((id) => `parent ${id}\n`).join("")}author x\n\nm`;
    expect(parseCommit("id", Buffer.from(text)).parents).toEqual(parents);
  });

  it.each([
    { line: "A <a@b> 1700000000 +0200", atMs: 1_700_000_000_000 },
    { line: "A <a@b> 1700000000", atMs: 1_700_000_000_000 },
    { line: "A <a@b> -5 -0000", atMs: -5000 },
    { line: "A <a@b> soon", atMs: 0 },
    { line: "A <a@b> 99999999999999999999 +0000", atMs: 0 },
    { line: "A", atMs: 0 },
  ])("takes $atMs for the time of the committer $line", ({ line, atMs }) => {
    const commit = parseCommit("id", Buffer.from(`tree ${treeId}\nauthor ${line}\ncommitter ${line}\n\nm`));
    expect(commit).toMatchObject({ committedAtMs: atMs, author: { name: "A" } });
  });

  it("ends a message at a NUL, and keeps the mark of a byte order", () => {
    const head = `tree ${treeId}\n\n`;
    expect(parseCommit("id", Buffer.from(`${head}shown\0hidden`)).message).toBe("shown");
    expect(parseCommit("id", Buffer.from(`${head}\0hidden`)).message).toBe("");
    expect(parseCommit("id", Buffer.from(`${head}\ufeffm`)).message).toBe("\ufeffm");
    expect(parseCommit("id", Buffer.from(head + "x".repeat(65_536))).message).toHaveLength(65_536);
    expect(parseCommit("id", Buffer.from(head + "x".repeat(65_537))).message).toContain("[The message is longer.]");
  });

  it("refuses a commit without a tree", () => {
    expect(() => parseCommit("id", Buffer.from("author x\n\nm"))).toThrow("a commit without a tree");
    expect(() => parseCommit("id", Buffer.from(" tree x\n\nm"))).toThrow("a commit without a tree");
  });
});

it.each([
  ["", true],
  ["x", false],
])("reads headers of 1 MiB, and no longer ones: %j more", (more, isRead) => {
  const person = "a <a@b> 0 +0000";
  const head = `tree ${"1".repeat(40)}\nauthor ${person}\ncommitter ${person}\nmergetag `;
  const content = Buffer.from(`${head}${"x".repeat(1024 ** 2 - head.length - 1)}${more}\n\nm\n`);
  const read = () => parseCommit("2".repeat(40), content).message;
  if (isRead) expect(read()).toBe("m\n");
  else expect(read).toThrow(expect.objectContaining({ code: "E_GIT_OBJECT" }));
});
