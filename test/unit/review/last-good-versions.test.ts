import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { SourceOptions } from "../../../src/review/read-source.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const clusterOf = (displayName: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: fleet}\nspec: {displayName: ${displayName}}\n`;
const bad = "kind: [";

/** Instead of a text: the commit has the file that the one before has, and ignores it. */
const ignored = Symbol("ignored");

/** A branch whose commits have these texts of one file; undefined: the commit does not have the file. */
function open(texts: readonly (string | typeof ignored | undefined)[], path = "a.yaml") {
  const git = createMemoryGit();
  let last: string | undefined;
  const ids = texts.map((text, index) => {
    if (text !== ignored) last = text;
    const file: Record<string, string> = last === undefined ? {} : { [path]: last };
    const list: Record<string, string> = text === ignored ? { ".rollcallignore": `${path}\n` } : {};
    return git.commit({ "other.txt": `${index}`, ...file, ...list }, "Change\n");
  });
  /** What was good of the file of the last commit. */
  const lastGood = async (
    { base, options = {}, engine = git }: { base?: string; options?: Partial<SourceOptions>; engine?: GitEngine } = {},
    before?: string,
  ) => {
    const source = { ...sourceOptions(() => undefined), git: engine, ...options };
    const previous = before === undefined ? undefined : await readSource(before, undefined, base, source);
    const { lastGood: found } = await readSource(ids.at(-1) ?? "", previous, base, source);
    const [document] = found.get(path)?.documents ?? [];
    return document && (document.object["spec"] as { displayName: string }).displayName;
  };
  return { git, ids, lastGood };
}

describe("the last good version of a file with errors", () => {
  it.each<[string, readonly (string | typeof ignored | undefined)[], string | undefined]>([
    ["none where it was ignored since", [clusterOf("A"), ignored, bad], undefined],
    ["none where it was ignored while it had errors", [clusterOf("A"), bad, ignored, bad], undefined],
    ["the one since it was no longer ignored", [clusterOf("A"), ignored, clusterOf("B"), bad], "B"],
    ["the one from before it became a link", [clusterOf("A"), "-> b.yaml", bad], "A"],
    ["the one from before it became a link whose target is YAML", [clusterOf("A"), "-> {}", bad], "A"],
    ["none where it became a submodule", [clusterOf("A"), "submodule", bad], undefined],
    ["the newest one", [clusterOf("A"), clusterOf("B"), bad, "kind: {", bad], "B"],
    ["none where it never was good", ["kind: {", bad], undefined],
    ["none where it was deleted since", [clusterOf("A"), undefined, bad], undefined],
    ["the one since it came back", [clusterOf("A"), undefined, clusterOf("B"), bad], "B"],
  ])("is %s", async (_what, texts, expected) => {
    expect(await open(texts).lastGood()).toBe(expected);
    const { ids, lastGood } = open(texts);
    for (const before of ids.slice(0, -1)) expect(await lastGood({}, before)).toBe(expected);
  });

  it("is searched for behind twenty changes of what is ignored, of which each lists a commit", async () => {
    const { git } = open([clusterOf("A")]);
    const base = git.ids[0] ?? "";
    let listed = 0;
    const engine: GitEngine = {
      ...git,
      listFiles: (...given) => {
        listed += 1;
        return git.listFiles(...given);
      },
    };
    for (let index = 0; index < 30; index += 1) git.commit({ "a.yaml": bad, ".rollcallignore": `${index}\n` }, "Bad\n");
    const source = { ...sourceOptions(() => undefined), git: engine };
    const { lastGood } = await readSource(git.ids.at(-1) ?? "", undefined, base, source);
    expect([...lastGood.keys()]).toEqual(["a.yaml"]);
    expect(listed).toBe(1 + 20 + 1);
  });

  it.each([
    [1000, "A"],
    [1001, undefined],
  ])("is searched behind %i commits with errors: %s", async (commits, expected) => {
    const { ids, lastGood } = open([clusterOf("A"), ...Array.from({ length: commits }, () => bad)]);
    expect(await lastGood()).toBe(expected);
    expect(await lastGood({ base: ids[0] ?? "" })).toBe("A");
  });

  it("is the one of the applied commit where that is the only one left", async () => {
    const { git, ids, lastGood } = open([clusterOf("A"), bad, bad]);
    const endsAt = (code: "E_GIT_OBJECT" | "E_TOO_MANY_FILES" | "E_GIT_CORRUPT", id = ids[1]): GitEngine => ({
      ...git,
      readCommit: (wanted) => (wanted === id ? Promise.reject(new AppError(code, "read")) : git.readCommit(wanted)),
    });
    const base = ids[0] ?? "";
    expect(await lastGood({ engine: endsAt("E_GIT_OBJECT") })).toBeUndefined();
    expect(await lastGood({ engine: endsAt("E_GIT_OBJECT"), base })).toBe("A");
    expect(await lastGood({ engine: endsAt("E_TOO_MANY_FILES"), base })).toBe("A");
    await expect(lastGood({ engine: endsAt("E_GIT_CORRUPT"), base })).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
  });

  it.each<[string, string | undefined]>([
    ["has errors, too", bad],
    ["has errors beside what is good", `${clusterOf("B")}---\n${clusterOf("C").replace("a,", "b, oops: 1,")}`],
    ["does not have the file", undefined],
  ])("is none where the applied commit %s", async (_what, text) => {
    const { git, ids, lastGood } = open([clusterOf("A"), text, bad, bad]);
    const engine: GitEngine = {
      ...git,
      readCommit: (id) => (id === ids[2] ? Promise.reject(new AppError("E_GIT_OBJECT", "read")) : git.readCommit(id)),
    };
    expect(await lastGood({ engine, base: ids[1] ?? "" })).toBeUndefined();
  });

  it("is one that a listed key vouches for, where signatures are asked for", async () => {
    const { ids, lastGood } = open([clusterOf("A"), clusterOf("B"), bad]);
    const asked: [string, string][] = [];
    const isVouched = (commit: string, path: string): Promise<boolean> => {
      asked.push([commit, path]);
      return Promise.resolve(commit === ids[0]);
    };
    expect(await lastGood({ options: { isVouched } })).toBe("A");
    expect(asked).toEqual([
      [ids[1], "a.yaml"],
      [ids[0], "a.yaml"],
    ]);
  });

  it("is none that is JSON which cannot be read", async () => {
    const text = JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: 1 } });
    const { git, ids } = open(["{", text], "a.json");
    const source = { ...sourceOptions(() => undefined), git };
    const { lastGood } = await readSource(ids[1] ?? "", undefined, undefined, source);
    expect(lastGood.size).toBe(0);
  });
});
