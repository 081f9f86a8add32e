import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  conflictingRef,
  isSymbolicRef,
  listLocalBranches,
  readLocalBranches,
  readLocalRef,
} from "../../../../src/git/local/local-refs.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

const [one, two, wide] = ["1".repeat(40), "2".repeat(40), "a".repeat(64)];
let folder = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = made.path;
  return made.remove;
});

/** Files of refs by their names. */
async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

describe("readLocalRef", () => {
  const damaged = { code: "E_GIT_OBJECT", data: { ref: "refs/heads/a" } };
  it.each([
    ["an id", `${one}\n`, one],
    ["an id without a line end", one, one],
    ["an id of SHA-256", `${wide}\n`, wide],
    ["a ref to another", "ref: refs/heads/b\n", two],
    ["a ref to one with another space than that of ASCII", "ref: refs/heads/東京\u3000本番\n", two],
    ["a ref to a packed one", "ref: refs/heads/packed", one],
    ["a ref to none", "ref: refs/heads/none\n", undefined],
    ["nothing", "", damaged],
    ["an id that is too short", one.slice(1), damaged],
    ["an id that is too long", `${one}1\n`, damaged],
    ["text before an id", ` ${one}\n`, damaged],
    ["a ref out of the folder", "ref: refs/../../secret\n", damaged],
    ["a ref that is none", "ref: HEAD\n", damaged],
    ["a ref with text behind it", "ref: refs/heads/b c\n", damaged],
    ["itself", "ref: refs/heads/a\n", damaged],
  ])("reads a file that has %s", async (_what, text, outcome) => {
    await write({ "refs/heads/a": text, "refs/heads/b": `${two}\n`, "refs/heads/東京\u3000本番": two });
    await write({ "packed-refs": `${one} refs/heads/packed\n` });
    const read = readLocalRef(folder, "refs/heads/a");
    if (typeof outcome === "object") await expect(read).rejects.toMatchObject(outcome);
    else expect(await read).toBe(outcome);
  });

  it("follows five refs to others, and not six", async () => {
    const chain = Array.from({ length: 6 }, (_, index) => [`refs/heads/r${index}`, `ref: refs/heads/r${index + 1}`]);
    await write({ ...(Object.fromEntries(chain) as Record<string, string>), "refs/heads/r6": one });
    expect(await readLocalRef(folder, "refs/heads/r1")).toBe(one);
    await expect(readLocalRef(folder, "refs/heads/r0")).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });

  it("takes the file before the packed one, and a folder, or a file in the place of one, for none", async () => {
    await write({ "packed-refs": `${one} refs/heads/a\n${one} refs/heads/b\n${one} refs/heads/c/d\n` });
    await write({ "refs/heads/a": two, "refs/heads/b/below": two, "refs/heads/c": two });
    const refs = ["a", "b", "c/d", "none"].map((name) => readLocalRef(folder, `refs/heads/${name}`));
    expect(await Promise.all(refs)).toEqual([two, one, one, undefined]);
  });

  it.skipIf(process.getuid?.() === 0)("fails for a while where a file cannot be read", async () => {
    await write({ "refs/heads/a": one });
    await chmod(join(folder, "refs/heads/a"), 0);
    await expect(readLocalRef(folder, "refs/heads/a")).rejects.toMatchObject({ recovery: "transient" });
  });

  it("fails for a while where a name is no name of a file", async () => {
    await write({ "refs/heads/a": one });
    await expect(readLocalRef(folder, `refs/heads/${"x".repeat(300)}`)).rejects.toMatchObject({
      recovery: "transient",
    });
  });
});

it.each([
  ["ref: refs/heads/b", true],
  [one, false],
  [`x ref: refs/heads/b`, false],
])("isSymbolicRef of %s is %s", async (text, isSymbolic) => {
  await write({ "refs/heads/a": text });
  expect(await isSymbolicRef(folder, "refs/heads/a")).toBe(isSymbolic);
  expect(await isSymbolicRef(folder, "refs/heads/none")).toBe(false);
});

describe("the branches of a repository", () => {
  beforeEach(async () => {
    await write({
      ...{ "refs/heads/a": `${one}\n`, "refs/heads/deep/er/b": two, "refs/heads/a.lock": two, "refs/tags/t": two },
      ...{ "refs/heads/link": "ref: refs/heads/a\n", "refs/heads/none": "ref: refs/heads/no\n" },
      ...{ "refs/heads/damaged": "ref: HEAD\n" },
      "packed-refs": `${two} refs/heads/a\n${two} refs/heads/packed\n${two} refs/tags/packed\n`,
    });
  });

  it("are those in files, and those that are packed alone", async () => {
    expect(Object.fromEntries(await listLocalBranches(folder))).toEqual({
      ...{ "refs/heads/a": one, "refs/heads/deep/er/b": two, "refs/heads/packed": two },
      ...{ "refs/heads/link": "ref: refs/heads/a", "refs/heads/none": "ref: refs/heads/no" },
      "refs/heads/damaged": "ref: HEAD",
    });
  });

  it.each(["refs/heads/no", "refs/heads"])("fail for a while where %s cannot be read", async (name) => {
    await rm(join(folder, name), { recursive: true, force: true });
    await symlink("loop", join(folder, "loop"));
    await symlink(join(folder, "loop"), join(folder, name));
    await expect(readLocalBranches(folder)).rejects.toMatchObject({ recovery: "transient" });
  });

  it("are where the refs point that name others, without those that point to none", async () => {
    expect(Object.fromEntries(await readLocalBranches(folder))).toEqual({
      ...{ "refs/heads/a": one, "refs/heads/deep/er/b": two, "refs/heads/link": one, "refs/heads/packed": two },
    });
  });

  it.each([
    ["refs/heads/a/b", "refs/heads/a"],
    ["refs/heads/packed/x", "refs/heads/packed"],
    ["refs/heads/deep", "refs/heads/deep/er/b"],
    ["refs/heads/deep/er", "refs/heads/deep/er/b"],
    ["refs/heads/ab", undefined],
    ["refs/heads/dee", undefined],
    ["refs/heads/a", undefined],
  ])("conflict with a new one %s: %s", async (ref, other) => {
    expect(await conflictingRef(folder, ref)).toBe(other);
  });
});

it("has no branches where there are no folders of them", async () => {
  expect(await listLocalBranches(folder)).toEqual(new Map());
  await write({ "refs/heads": "no folder" });
  expect(await listLocalBranches(folder)).toEqual(new Map());
});
