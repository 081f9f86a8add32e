import { describe, expect, it } from "vitest";
import { readSource } from "../../../src/review/read-source.ts";
import { readWithFiles } from "../../../src/review/read-with-files.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const fileOf = (name: string, spec = "{}"): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\nspec: ${spec}\n`;

async function change(texts: Readonly<Record<string, string | null>>) {
  const git = createMemoryGit();
  const options = { git, ...sourceOptions(() => undefined) };
  const good = {
    "a.yaml": fileOf("a"),
    "b.yaml": fileOf("b"),
    ".rollcallignore": "ignored.yaml\n",
    "link.yaml": "-> a.yaml",
  };
  const first = await readSource(git.commit(good, "First\n"), undefined, undefined, options);
  const head = git.commit({ ...good, "b.yaml": fileOf("b", "{displayNmae: B}") }, "Break b\n");
  const before = await readSource(head, first, undefined, options);
  const { snapshot, unread } = await readWithFiles(before, new Map(Object.entries(texts)), options);
  const documents = [...snapshot.parsed.values()].flatMap((file) => file.documents);
  return { before, snapshot, unread, names: documents.map(({ object }) => object.metadata.name) };
}

describe("readWithFiles", () => {
  it.each<[string, Readonly<Record<string, string | null>>, string[], string[]]>([
    ["with another text of a file", { "a.yaml": fileOf("c") }, ["c"], ["a.yaml", "b.yaml"]],
    ["with a further file", { "c.yaml": fileOf("c") }, ["a", "c"], ["a.yaml", "b.yaml", "c.yaml"]],
    ["without a file", { "a.yaml": null }, [], ["b.yaml"]],
    ["without a file that is not there", { "x.yaml": null }, ["a"], ["a.yaml", "b.yaml"]],
  ])("gives the files of a commit %s", async (_what, texts, names, paths) => {
    const { before, snapshot, unread, names: found } = await change(texts);
    expect([found, [...snapshot.files.keys()], unread]).toEqual([names, paths, []]);
    expect([...snapshot.parsed.keys()]).toEqual(paths);
    expect(snapshot.commit).toBe(before.commit);
    expect(snapshot).not.toHaveProperty("replaced");
    expect(snapshot).not.toHaveProperty("size");
  });

  it.each([
    ["a file that is ignored", { "ignored.yaml": fileOf("c") }, ["ignored.yaml"]],
    ["a file that is no YAML", { "c.txt": "c" }, ["c.txt"]],
  ])("names %s, and reads nothing of it", async (_what, texts, unread) => {
    const { snapshot, unread: named } = await change(texts);
    expect([named, [...snapshot.parsed.keys()], [...snapshot.files.keys()]]).toEqual([
      unread,
      ["a.yaml", "b.yaml"],
      ["a.yaml", "b.yaml"],
    ]);
  });

  it("has the problems of paths that are left: a link that is replaced or deleted is none", async () => {
    const codesOf = async (texts: Readonly<Record<string, string | null>>) =>
      (await change(texts)).snapshot.pathProblems.map(({ code, file }) => `${code} ${file}`);
    expect(await codesOf({ "a.yaml": fileOf("c") })).toEqual(["E_SYMLINK link.yaml"]);
    expect(await codesOf({ "link.yaml": null })).toEqual([]);
    expect(await codesOf({ "link.yaml": fileOf("c") })).toEqual([]);
  });

  it("keeps what a file was when it was good, until it is good again", async () => {
    expect([...(await change({ "b.yaml": fileOf("b", "{x: 1}") })).snapshot.lastGood.keys()]).toEqual(["b.yaml"]);
    expect([...(await change({ "a.yaml": fileOf("c") })).snapshot.lastGood.keys()]).toEqual(["b.yaml"]);
    expect([...(await change({ "b.yaml": fileOf("b") })).snapshot.lastGood.keys()]).toEqual([]);
  });
});
