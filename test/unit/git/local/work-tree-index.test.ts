import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { objectIdOf } from "../../../../src/git/objects/git-object.ts";
import { readWorkTreeIndex } from "../../../../src/git/local/work-tree-index.ts";
import { makeTempFolder, runGit } from "../../../support/git-repositories.ts";

let folder: { path: string; remove: () => Promise<void> };
let dir: string;

beforeEach(async () => {
  folder = await makeTempFolder();
  dir = join(folder.path, "tree");
});
afterEach(() => folder.remove());

/** Commits files as they would be after a checkout: written a while before the index was. */
async function commit(files: Readonly<Record<string, string>>, ...options: string[]): Promise<void> {
  await runGit(folder.path, ["init", "-q", "-b", "main", ...options, dir]);
  const before = new Date(Date.now() - 60_000);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), content);
    utimesSync(join(dir, path), before, before);
  }
  await runGit(dir, ["add", "-A"]);
}

const idOf = (content: string) => objectIdOf("blob", Buffer.from(content), "sha1");

describe("readWorkTreeIndex", () => {
  it("knows files that are unchanged since git hashed them, whatever their names", async () => {
    const files = { "a.yaml": "one", "deep/er/ü.yaml": "two", [`${"long".repeat(40)}.yaml`]: "three", empty: "" };
    await commit(files);
    const index = await readWorkTreeIndex(dir, "sha1");
    for (const [path, content] of Object.entries(files)) expect(index?.blobIdOf(path), path).toBe(idOf(content));
    expect(index?.blobIdOf("other.yaml")).toBeUndefined();
  });

  it("knows nothing of a file that was written, replaced, linked or removed since, with its time set back or not", async () => {
    await commit({ written: "one", replaced: "one", back: "one", linked: "one", removed: "one", untouched: "one" });
    const time = statSync(join(dir, "back")).mtime;
    writeFileSync(join(dir, "written"), "two");
    writeFileSync(join(dir, "new"), "two");
    renameSync(join(dir, "new"), join(dir, "replaced"));
    writeFileSync(join(dir, "back"), "two");
    utimesSync(join(dir, "back"), time, time);
    rmSync(join(dir, "linked"));
    symlinkSync("untouched", join(dir, "linked"));
    rmSync(join(dir, "removed"));
    const index = await readWorkTreeIndex(dir, "sha1");
    for (const path of ["written", "replaced", "back", "linked", "removed"])
      expect(index?.blobIdOf(path), path).toBeUndefined();
    expect(index?.blobIdOf("untouched")).toBe(idOf("one"));
  });

  it("does not trust a file that was written when the index was: another write may have the same time", async () => {
    await commit({ "a.yaml": "one" });
    const { mtime } = statSync(join(dir, "a.yaml"));
    utimesSync(join(dir, ".git/index"), mtime, mtime);
    expect((await readWorkTreeIndex(dir, "sha1"))?.blobIdOf("a.yaml")).toBeUndefined();
  });

  it("reads ids by SHA-256 and the index of a linked work tree", async () => {
    await commit({ "a.yaml": "one" }, "--object-format=sha256");
    const index = await readWorkTreeIndex(dir, "sha256");
    expect(index?.blobIdOf("a.yaml")).toBe(objectIdOf("blob", Buffer.from("one"), "sha256"));
    await runGit(dir, ["commit", "-q", "-m", "x"]);
    const linked = join(folder.path, "linked");
    await runGit(dir, ["worktree", "add", "-q", linked]);
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(dir, ".git/worktrees/linked/index"), later, later);
    expect((await readWorkTreeIndex(linked, "sha256"))?.blobIdOf("a.yaml")).toBe(index?.blobIdOf("a.yaml"));
  });

  it("reads what is behind an entry with further flags", async () => {
    await commit({ "a.yaml": "one", "b.yaml": "two" });
    await runGit(dir, ["update-index", "--skip-worktree", "a.yaml"]);
    const index = await readWorkTreeIndex(dir, "sha1");
    expect([...(index?.paths ?? [])]).toEqual(["a.yaml", "b.yaml"]);
    expect(["a.yaml", "b.yaml"].map((path) => index?.blobIdOf(path))).toEqual([idOf("one"), idOf("two")]);
  });

  it.each(["--no-sparse-index", "--sparse-index"])(
    "knows which files a sparse checkout leaves out, %s",
    async (form) => {
      await commit({ "a.yaml": "one", "in/b.yaml": "two", "out/c.yaml": "three", "out/deep/d.yaml": "four" });
      await runGit(dir, ["commit", "-q", "-m", "x"]);
      await runGit(dir, ["sparse-checkout", "set", "--cone", form, "in"]);
      const index = await readWorkTreeIndex(dir, "sha1");
      const leftOut = ["a.yaml", "in/b.yaml", "out/c.yaml", "out/deep/d.yaml", "new.yaml"].filter((path) =>
        index?.isLeftOut(path),
      );
      expect(leftOut).toEqual(["out/c.yaml", "out/deep/d.yaml"]);
    },
  );

  it("knows the same of an index with shortened paths, as feature.manyFiles has it, and what a sparse checkout leaves out", async () => {
    const long = `${"long".repeat(50)}.yaml`;
    const files = {
      "a.yaml": "one",
      "in/b.yaml": "two",
      [`in/${long}`]: "three",
      "in/x.yaml": "four",
      "out/c.yaml": "",
    };
    await commit(files);
    await runGit(dir, ["update-index", "--index-version=4"]);
    const index = await readWorkTreeIndex(dir, "sha1");
    expect([...(index?.paths ?? [])].sort()).toEqual(Object.keys(files).sort());
    for (const [path, content] of Object.entries(files)) expect(index?.blobIdOf(path), path).toBe(idOf(content));
    await runGit(dir, ["commit", "-q", "-m", "x"]);
    await runGit(dir, ["sparse-checkout", "set", "--cone", "in"]);
    expect(readFileSync(join(dir, ".git/index")).readUInt32BE(4)).toBe(4);
    const sparse = await readWorkTreeIndex(dir, "sha1");
    expect(Object.keys(files).filter((path) => sparse?.isLeftOut(path))).toEqual(["out/c.yaml"]);
  });

  it.each(["2", "4"])("has no wrong id of a file, wherever an index of version %s is cut off", async (version) => {
    await commit({ "a.yaml": "one", "b.yaml": "two" });
    await runGit(dir, ["update-index", `--index-version=${version}`]);
    const path = join(dir, ".git/index");
    const whole = readFileSync(path);
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(path, whole.subarray(0, length));
      const index = await readWorkTreeIndex(dir, "sha1");
      expect([undefined, idOf("one")], `${length} bytes`).toContain(index?.blobIdOf("a.yaml"));
    }
  });

  it("is empty before the first `git add`", async () => {
    await commit({ "a.yaml": "one" });
    rmSync(join(dir, ".git/index"));
    const index = await readWorkTreeIndex(dir, "sha1");
    expect([index?.blobIdOf("a.yaml"), [...(index?.paths ?? ["?"])]]).toEqual([undefined, []]);
  });

  it.each([
    {
      what: "it is cut off",
      change: async () => writeFileSync(join(dir, ".git/index"), "DIRC\0\0\0\u0002\0\0\0\u0009"),
    },
    { what: "it is something else", change: async () => writeFileSync(join(dir, ".git/index"), "x".repeat(200)) },
    { what: "it is split", change: async () => void (await runGit(dir, ["update-index", "--split-index"])) },
  ])("knows nothing at all where $what", async ({ change }) => {
    await commit({ "a.yaml": "one" });
    await change();
    expect(await readWorkTreeIndex(dir, "sha1")).toBeUndefined();
  });
});
