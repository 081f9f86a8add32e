import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameObject } from "../../../../src/git/objects/git-object.ts";
import { replaceInTree } from "../../../../src/git/objects/replace-in-tree.ts";
import { formatTree } from "../../../../src/git/objects/tree-entries.ts";
import type { TreeEntry } from "../../../../src/git/objects/tree-entries.ts";
import { countCalls, moreCalls, withoutOptimizer } from "../../../support/count-calls.ts";

withoutOptimizer();

function idOf(text: string): string {
  return nameObject("blob", Buffer.from(text), "sha1").id;
}

function entry(rawName: string, { modeText = "100644", text = "old" } = {}): TreeEntry {
  return { rawName, name: rawName, modeText, id: idOf(text) };
}

describe("replaceInTree", () => {
  const tree = [entry("a"), entry("b", { modeText: "100755" }), entry("xyz")];

  it("gives files other blobs and keeps their modes and all other entries", () => {
    const next = replaceInTree(formatTree(tree), new Map([["b", idOf("new")]]), "sha1");
    expect(next).toEqual(formatTree([entry("a"), entry("b", { modeText: "100755", text: "new" }), entry("xyz")]));
  });

  it("makes the same bytes as a tree that is formatted anew, whatever the names and blobs", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-c0]{1,4}$/u), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.boolean()), (all, isReplaced) => {
        const entries = all.map((name) => entry(name, { text: name }));
        const chosen = all.filter(() => isReplaced.next().value === true);
        const expected = entries.map((each) => (chosen.includes(each.rawName) ? { ...each, id: idOf("new") } : each));
        const ids = new Map(chosen.map((name) => [name, idOf("new")]));
        expect(replaceInTree(formatTree(entries), ids, "sha1")).toEqual(formatTree(expected));
      }),
    );
  });

  it("reads each name once, however many files have other blobs", async () => {
    const countOf = async (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `c${index}`.padEnd(8, "-"));
      const content = formatTree(names.map((name) => entry(name)));
      const ids = new Map(names.map((name) => [name, idOf("new")]));
      return countCalls(() => Promise.resolve(replaceInTree(content, ids, "sha1")));
    };
    // A call for each of the 900 more, and not one for each pair of them.
    expect(moreCalls(await countOf(100), await countOf(1000), 1000)).toEqual([]);
  });

  it("calls nothing for a name that stays, however many there are", async () => {
    const countOf = async (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `c${index}`.padEnd(8, "-"));
      const content = formatTree(names.map((name) => entry(name)));
      const ids = new Map(["c7------", "c8------"].map((name) => [name, idOf("new")]));
      const counts = await countCalls(() => Promise.resolve(replaceInTree(content, ids, "sha1")));
      return new Map([...counts].filter(([place]) => !place.includes(" replaceInTree ")));
    };
    expect(moreCalls(await countOf(100), await countOf(1000), 0)).toEqual([]);
  });

  it("distinguishes names of one digest", () => {
    const names = ["ak", "c-"];
    const content = formatTree(names.map((name) => entry(name)));
    const ids = new Map(names.map((name) => [name, idOf(name)]));
    expect(replaceInTree(content, ids, "sha1")).toEqual(formatTree(names.map((name) => entry(name, { text: name }))));
    expect(replaceInTree(content, new Map([["ak", idOf("ak")]]), "sha1")).toEqual(
      formatTree([entry("ak", { text: "ak" }), entry("c-")]),
    );
  });

  it.each([
    { reason: "a name that is not there", entries: tree, name: "c" },
    { reason: "a folder of the name", entries: [entry("b", { modeText: "40000" })], name: "b" },
    { reason: "a link of the name", entries: [entry("b", { modeText: "120000" })], name: "b" },
    { reason: "a folder whose name ends in it", entries: [entry("xb", { modeText: "40000" })], name: "b" },
    { reason: "an unusual mode", entries: [entry("b", { modeText: "100664" })], name: "b" },
    { reason: "the name twice", entries: [entry("b"), entry("b")], name: "b" },
  ])("leaves $reason to its caller", ({ entries, name }) => {
    expect(replaceInTree(formatTree(entries), new Map([[name, idOf("new")]]), "sha1")).toBeUndefined();
  });

  it("leaves a tree that ends within an entry to its caller", () => {
    const cut = formatTree(tree).subarray(0, -1);
    expect(replaceInTree(cut, new Map([["a", idOf("new")]]), "sha1")).toBeUndefined();
  });

  it("takes no name for one that is in the bytes of an id", () => {
    const id = Buffer.concat([Buffer.from("100644 b\0"), Buffer.alloc(11, 1)]).toString("hex");
    const content = formatTree([{ ...entry("a"), id }]);
    expect(replaceInTree(content, new Map([["b", idOf("new")]]), "sha1")).toBeUndefined();
  });
});
