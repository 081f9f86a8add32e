import { describe, expect, it } from "vitest";
import type { NewContent } from "../../../../src/git/git.ts";
import { emptyTreeIds, nameObject } from "../../../../src/git/objects/git-object.ts";
import { overlayTree } from "../../../../src/git/objects/overlay-tree.ts";
import { formatTree, parseTree } from "../../../../src/git/objects/tree-entries.ts";

const blobOf = (text: string): string => nameObject("blob", Buffer.from(text), "sha1").id;

/** A tree of these entries, and what the changes make of it. */
async function overlay(entries: Readonly<Record<string, readonly [modeText: string, id: string]>>, changes: object) {
  const content = formatTree(
    Object.entries(entries).map(([name, [modeText, id]]) => ({ name, rawName: name, modeText, id })),
  );
  const base = nameObject("tree", content, "sha1");
  const below = nameObject(
    "tree",
    formatTree([{ name: "x", rawName: "x", modeText: "100644", id: blobOf("x") }]),
    "sha1",
  );
  const trees = new Map([base, below].map(({ id, content: bytes }) => [id, bytes]));
  const { treeId, objects } = await overlayTree({
    baseTreeId: content.length === 0 ? undefined : base.id,
    changes: new Map(Object.entries(changes) as [string, NewContent][]),
    readTree: (id) => Promise.resolve(trees.get(id) ?? Buffer.alloc(0)),
    format: "sha1",
  });
  const made = objects.find(({ id }) => id === treeId)?.content ?? trees.get(treeId);
  const found = made instanceof Uint8Array ? parseTree(treeId, made, "sha1") : [];
  return {
    entries: Object.fromEntries(found.map(({ name, modeText, id }) => [name, [modeText, id]])),
    added: objects.map(({ id }) => id).filter((id) => id !== treeId),
    treeId,
    isSame: treeId === base.id,
    folder: below.id,
  };
}

const folderId = nameObject(
  "tree",
  formatTree([{ name: "x", rawName: "x", modeText: "100644", id: blobOf("x") }]),
  "sha1",
).id;

describe("overlayTree", () => {
  it.each(["", "/a", "a/", "a//b", ".", "../a", "a/../b", ".git/config", "a/.GIT/hooks/x", "a\\b", "a\nb", "git~1/x"])(
    "A12 writes nothing to the path %j",
    async (path) => {
      await expect(overlay({}, { good: "1", [path]: "1" })).rejects.toMatchObject({ code: "E_UNSAFE_PATH" });
      await expect(overlay({}, { [path]: null })).rejects.toMatchObject({ code: "E_UNSAFE_PATH" });
    },
  );

  it.each([
    { changes: { a: "1", "a/b": "2" }, path: "a" },
    { changes: { "x/y/a": "1", "x/y/a/b/c": "2" }, path: "x/y/a" },
  ])("refuses $path as a file and a folder at once", async ({ changes, path }) => {
    const message = `commit "${path}": given as a file and as a folder`;
    await expect(overlay({}, changes)).rejects.toMatchObject({ code: "E_USAGE", message });
  });

  it("puts a folder in the place of a file that is removed", async () => {
    const { entries } = await overlay({ a: ["100644", blobOf("1")] }, { a: null, "a/x": "x" });
    expect(entries).toEqual({ a: ["40000", folderId] });
  });

  it.each([
    { what: "a file", mode: "100644", expected: "100644" },
    { what: "an executable file", mode: "100755", expected: "100755" },
    { what: "a file with another mode", mode: "100664", expected: "100664" },
    { what: "a link, which becomes a file", mode: "120000", expected: "100644" },
    { what: "a submodule, which becomes a file", mode: "160000", expected: "100644" },
  ])("writes $what, alone and among other changes", async ({ mode, expected }) => {
    const before = { a: [mode, blobOf("1")], z: ["100644", blobOf("z")] } as const;
    const alone = await overlay(before, { a: "2" });
    expect(alone.entries).toEqual({ a: [expected, blobOf("2")], z: before.z });
    expect(alone.added).toEqual([blobOf("2")]);
    const among = await overlay(before, { a: "2", b: "3", z: null });
    expect(among.entries).toEqual({ a: [expected, blobOf("2")], b: ["100644", blobOf("3")] });
    expect(among.added.sort()).toEqual([blobOf("2"), blobOf("3")].sort());
  });

  it("puts a file in the place of a folder", async () => {
    expect((await overlay({ a: ["40000", folderId] }, { a: "1" })).entries).toEqual({ a: ["100644", blobOf("1")] });
  });

  it("adds nothing where all stays as it is", async () => {
    const before = { a: ["100644", blobOf("1")], f: ["40000", folderId] } as const;
    for (const changes of [{ a: "1" }, { a: "1", "f/x": "x" }, { "f/x": "x" }, { b: null }, { "g/h": null }, {}])
      expect(await overlay(before, changes)).toMatchObject({ isSame: true, added: [] });
  });

  it("removes a folder with its last file, and is the empty tree with its last entry", async () => {
    const { entries, added } = await overlay({ a: ["100644", blobOf("1")], f: ["40000", folderId] }, { "f/x": null });
    expect([entries, added]).toEqual([{ a: ["100644", blobOf("1")] }, []]);
    expect(await overlay({ f: ["40000", folderId] }, { "f/x": null })).toMatchObject({
      treeId: emptyTreeIds.sha1,
      entries: {},
    });
    expect((await overlay({}, {})).treeId).toBe(emptyTreeIds.sha1);
  });

  it("takes bytes as it takes text", async () => {
    expect((await overlay({}, { a: Buffer.from("1"), b: "1" })).entries).toEqual({
      ...{ a: ["100644", blobOf("1")], b: ["100644", blobOf("1")] },
    });
  });
});
