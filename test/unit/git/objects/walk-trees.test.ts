import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameObject } from "../../../../src/git/objects/git-object.ts";
import type { NewObject } from "../../../../src/git/objects/git-object.ts";
import { overlayTree } from "../../../../src/git/objects/overlay-tree.ts";
import { makePathFilter } from "../../../../src/git/objects/path-filter.ts";
import { entryKind, formatTree, parseTree, parseTreeInTurns } from "../../../../src/git/objects/tree-entries.ts";
import { compareTrees, listTreeFiles } from "../../../../src/git/objects/walk-trees.ts";
import type { WalkOptions } from "../../../../src/git/objects/walk-trees.ts";

type Changes = Record<string, string | null>;

/** Trees in memory; every read is counted. */
class TreeStore {
  readonly #trees = new Map<string, Uint8Array>();
  readonly reads: string[] = [];

  async commit(baseTreeId: string | undefined, changes: Changes): Promise<{ treeId: string; objects: NewObject[] }> {
    const { treeId, objects } = await overlayTree({
      baseTreeId,
      changes: new Map(Object.entries(changes)),
      readTree: (treeId) => Promise.resolve(this.#read(treeId)),
      format: "sha1",
    });
    for (const { type, id, content } of objects) if (type === "tree") this.#trees.set(id, content);
    return { treeId, objects: [...objects] };
  }

  walk(paths?: string[], maximumEntries = 1_000_000): WalkOptions {
    return {
      maximumEntries,
      filter: makePathFilter(paths),
      readTree: async (treeId) => parseTree(treeId, this.#read(treeId), "sha1"),
    };
  }

  #read(treeId: string): Uint8Array {
    this.reads.push(treeId);
    return this.#trees.get(treeId) ?? new Uint8Array();
  }

  async files(treeId: string): Promise<Record<string, string>> {
    const files = await listTreeFiles(treeId, this.walk());
    return Object.fromEntries(files.map(({ path, blobId }) => [path, blobId]));
  }
}

function blobId(content: string): string {
  return nameObject("blob", Buffer.from(content), "sha1").id;
}

describe("compareTrees", () => {
  it("reads for one changed file of 10,000 only the folders on the way to it", async () => {
    const store = new TreeStore();
    const files = Object.fromEntries(
      [...Array(10_000).keys()].map((n) => [`clusters/${n % 10}/${(n * 7) % 100}/c${n}.yaml`, `${n}`]),
    );
    const before = await store.commit(undefined, files);
    store.reads.length = 0;
    const after = await store.commit(before.treeId, { "clusters/3/1/c43.yaml": "changed" });
    // Root, clusters, clusters/3, clusters/3/<n>.
    expect(store.reads).toHaveLength(4);
    expect(after.objects).toHaveLength(5);
    store.reads.length = 0;
    const changes = await compareTrees(before.treeId, after.treeId, store.walk());
    expect(changes.map(({ path }) => path)).toEqual(["clusters/3/1/c43.yaml"]);
    expect(store.reads.length).toBeLessThanOrEqual(2 * 4);
    store.reads.length = 0;
    expect(await compareTrees(after.treeId, after.treeId, store.walk())).toEqual([]);
    expect(store.reads).toEqual([]);
  });

  it("reads no folder outside of what is asked for", async () => {
    const store = new TreeStore();
    const { treeId } = await store.commit(undefined, { "a/x": "1", "b/c/x": "1", "b/d/x": "1" });
    store.reads.length = 0;
    const files = await listTreeFiles(treeId, store.walk(["b/c"]));
    expect(files.map(({ path }) => path)).toEqual(["b/c/x"]);
    expect(store.reads).toHaveLength(3);
  });

  it("A187 marks what a tree has twice as unsafe, and reports that as a change of each file", async () => {
    const [first, last] = [blobId("first"), blobId("last")];
    const file = (name: string, id: string) => ({ rawName: name, name, modeText: "100644", id });
    const folder = (name: string, id: string) => ({ rawName: name, name, modeText: "40000", id });
    const trees = new Map([
      ["single", [file("a.yaml", last), folder("b", "below"), file("c.yaml", last)]],
      [
        "twice",
        [file("a.yaml", first), file("a.yaml", last), folder("b", "other"), folder("b", "below"), file("c.yaml", last)],
      ],
      ["below", [file("d.yaml", last)]],
      ["other", [file("d.yaml", first)]],
    ]);
    const walk = { ...new TreeStore().walk(), readTree: async (treeId: string) => trees.get(treeId) ?? [] };
    const marked = (await listTreeFiles("twice", walk)).map(({ path, isUnsafe }) => [path, isUnsafe]);
    expect(marked).toEqual([
      ["a.yaml", true],
      ["b/d.yaml", true],
      ["c.yaml", undefined],
    ]);
    for (const [from, to] of [["single", "twice"] as const, ["twice", "single"] as const]) {
      const changes = await compareTrees(from, to, walk);
      expect(changes.map(({ path, before, after }) => [path, before?.isUnsafe, after?.isUnsafe])).toEqual(
        ["a.yaml", "b/d.yaml"].map((path) => [path, from === "twice" || undefined, to === "twice" || undefined]),
      );
    }
    expect(await compareTrees("twice", "twice", walk)).toEqual([]);
  });

  it("A94 gives others their turn while it walks a folder of very many files", async () => {
    const names = [...Array(20_000).keys()];
    const entries = names.map((n) => ({ rawName: `f${n}`, name: `f${n}`, modeText: "100644", id: blobId("x") }));
    const walk = { ...new TreeStore().walk(), readTree: async () => entries };
    let [turns, isDone] = [0, false];
    const count = (): void => void (isDone || ((turns += 1), setImmediate(count)));
    setImmediate(count);
    expect(await listTreeFiles("t", walk)).toHaveLength(20_000);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it("A94 gives others their turn while it parses a folder of very many files", async () => {
    const names = [...Array(100_000).keys()];
    const content = formatTree(
      names.map((n) => ({ rawName: `f${n}`, name: `f${n}`, modeText: "100644", id: blobId("x") })),
    );
    let [turns, isDone] = [0, false];
    const count = (): void => void (isDone || ((turns += 1), setImmediate(count)));
    setImmediate(count);
    const entries = await parseTreeInTurns("t", content, "sha1");
    isDone = true;
    expect(JSON.stringify(entries) === JSON.stringify(parseTree("t", content, "sha1"))).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it("gives up beyond its bounds", async () => {
    const store = new TreeStore();
    const { treeId } = await store.commit(undefined, { a: "1", b: "1", "c/d": "1" });
    await expect(listTreeFiles(treeId, store.walk(undefined, 4))).resolves.toHaveLength(3);
    const tooMany = expect.objectContaining({ code: "E_TOO_MANY_FILES" }) as Error;
    await expect(listTreeFiles(treeId, store.walk(undefined, 3))).rejects.toThrow(tooMany);
    const deep = await store.commit(undefined, { [`${"d/".repeat(300)}x`]: "1" });
    await expect(listTreeFiles(deep.treeId, store.walk())).rejects.toThrow(tooMany);
  });
});

describe("overlayTree", () => {
  // A few names, so that files and folders meet.
  const path = fc
    .array(fc.constantFrom("a", "b", "a.b", "a-b", "ü"), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("/"));
  const content = fc.option(fc.constantFrom("1", "2", "3"), { nil: null });
  const changes = fc.dictionary(path, content, { maxKeys: 8 });

  /** What the overlay should be, by the words of the contract. */
  function overlaid(files: Record<string, string>, change: Changes): Record<string, string> {
    const next = new Map(Object.entries(files));
    for (const [target, text] of Object.entries(change)) {
      const isBelowFile = (file: string): boolean => target.startsWith(`${file}/`);
      for (const file of [...next.keys()]) {
        if (file === target || file.startsWith(`${target}/`)) next.delete(file);
        if (text !== null && isBelowFile(file)) next.delete(file);
      }
    }
    for (const [target, text] of Object.entries(change)) if (text !== null) next.set(target, blobId(text));
    return Object.fromEntries(next);
  }

  function isConsistent(change: Changes): boolean {
    const filled = Object.keys(change).filter((target) => change[target] !== null);
    const all = Object.keys(change);
    return !filled.some((target) => all.some((other) => other.startsWith(`${target}/`)));
  }

  it("lays any changes over any tree, and the comparison of the two is what changed", async () => {
    await fc.assert(
      fc.asyncProperty(changes.filter(isConsistent), changes.filter(isConsistent), async (first, second) => {
        const store = new TreeStore();
        const before = await store.commit(undefined, first);
        const after = await store.commit(before.treeId, second);
        const beforeFiles = await store.files(before.treeId);
        const afterFiles = await store.files(after.treeId);
        expect(beforeFiles).toEqual(overlaid({}, first));
        expect(afterFiles).toEqual(overlaid(beforeFiles, second));
        const difference = await compareTrees(before.treeId, after.treeId, store.walk());
        const expected = [...new Set([...Object.keys(beforeFiles), ...Object.keys(afterFiles)])]
          .filter((name) => beforeFiles[name] !== afterFiles[name])
          .sort();
        expect(difference.map((change) => change.path)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("is the same tree when nothing changes", async () => {
    const store = new TreeStore();
    const before = await store.commit(undefined, { "a/b": "1", c: "2" });
    const after = await store.commit(before.treeId, { "a/b": "1", "x/y": null });
    expect(after).toEqual({ treeId: before.treeId, objects: [] });
  });
});

describe("parseTree", () => {
  it("keeps names that are not UTF-8 and odd modes for writing back", () => {
    const id = Buffer.alloc(20, 7);
    const content = Buffer.concat([Buffer.from("100664 bad\xff\0", "latin1"), id, Buffer.from("40000 z\0"), id]);
    const entries = parseTree("t", content, "sha1");
    expect(entries.map(({ name, modeText }) => [name, modeText])).toEqual([
      ["bad\ufffd", "100664"],
      ["z", "40000"],
    ]);
    expect(formatTree(entries).equals(content)).toBe(true);
  });

  // As `git ls-tree` has them; its `fsck` warns of zeros in front.
  it.each([
    ["0100644", "file"],
    ["000100755", "executable"],
    ["040000", "tree"],
    ["0120000", "link"],
    ["1006444", "submodule"],
    ["1006", "submodule"],
    ["0", "submodule"],
    [`${"7".repeat(30)}0100644`, "file"],
  ])("A169 reads the mode %s as git does: %s", (mode, kind) => {
    const content = Buffer.concat([Buffer.from(`${mode} a.yaml\0`), Buffer.alloc(20, 7)]);
    const entries = parseTree("t", content, "sha1");
    expect(entries.map(entryKind)).toEqual([kind]);
    expect(formatTree(entries).equals(content)).toBe(true);
  });

  it("throws nothing but its own error on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          parseTree("t", bytes, "sha1");
        } catch (error) {
          expect(error).toMatchObject({ code: "E_GIT_OBJECT" });
        }
      }),
    );
  });

  it.each(["100644", "100644 a", "100644 a\0short", " a\0", "999999 a\0", "1006444 a\0"])("refuses %j", (text) => {
    expect(() => parseTree("t", Buffer.from(text), "sha1")).toThrow(expect.objectContaining({ code: "E_GIT_OBJECT" }));
  });
});
