import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it } from "vitest";
import { checkedOutRefs, isGitDir, locateRepository, workTreeOf } from "../../../../src/git/local/local-repository.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

let folder = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = await realpath(made.path);
  return made.remove;
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** A repository with these files, beside those that make it one. */
async function make(name: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const all = { HEAD: "ref: refs/heads/main\n", "objects/info/packs": "", ...files };
  await write(Object.fromEntries(Object.entries(all).map(([file, text]) => [`${name}/${file}`, text])));
  return join(folder, name);
}

describe("the configuration of a repository", () => {
  it.each([
    ["", "sha1", "files"],
    ["[extensions]\n\tobjectFormat = SHA256\n\trefStorage = RefTable\n", "sha256", "reftable"],
    ["  [Extensions]\nobjectformat=sha256# of git 2.29\n", "sha256", "files"],
    ['[extensions]\n\tobjectformat = "sha256" ; of git 2.29\n', "sha256", "files"],
    ["[core]\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n[a]\n\tobjectformat = sha1\n", "sha256", "files"],
    ["[extensions]\n\tobjectformat\n", "sha1", "files"],
    ["[extensions]\n# objectformat = sha256\n", "sha1", "files"],
    ["objectformat = sha256\n[extensions]\n", "sha1", "files"],
    ["[other]\n\tobjectformat = sha256\n", "sha1", "files"],
    ['[extensions "other"]\n\tobjectformat = sha256\n', "sha1", "files"],
    ['[extensions]\n[remote "a"]\n\tobjectformat = sha256\n', "sha1", "files"],
  ])("%j has the format %s and refs in %s", async (config, format, refStorage) => {
    expect(await locateRepository(await make("a.git", { config }))).toMatchObject({ format, refStorage });
  });

  it.each(["partialClone = origin", "partialclone"])("that has %s names what only another place has", async (line) => {
    const config = `[extensions]\n\t${line}\n`;
    await expect(locateRepository(await make("a.git", { config }))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it.each<readonly [string, boolean]>([
    ...["true", "YES", "on", '"true"', "1", "-1", "+20"].map((value) => [` = ${value}`, true] as const),
    ["", true],
    ...["false", "no", "off", "", "0", "00", "1x", "x1", "truer"].map((value) => [` = ${value}`, false] as const),
  ])("with bare%s has no work tree of its own: %s", async (value, isBare) => {
    const head = (branch: string): string => `ref: refs/heads/${branch}\n`;
    const trees = { "worktrees/b/HEAD": head("b"), "worktrees/c/HEAD": "1".repeat(40), "worktrees/d/x": "" };
    const path = await make("a.git", { config: `[core]\n\tbare${value}\n`, ...trees });
    const refs = await checkedOutRefs(await locateRepository(path));
    expect(refs).toEqual([...(isBare ? [] : ["refs/heads/main"]), "refs/heads/b"]);
  });

  it.each([
    { extension: "[extensions]\n\tworktreeConfig = true\n", refs: [] },
    { extension: "", refs: ["refs/heads/main"] },
  ])("that sparse work trees made git divide (%j) has what it is bare by in the other file", async (place) => {
    // git sparse-checkout moves core.bare there from the common file.
    const files = { config: place.extension, "config.worktree": "[core]\n\tbare = true\n" };
    expect(await checkedOutRefs(await locateRepository(await make("a.git", files)))).toEqual(place.refs);
  });
});

describe("where a repository is", () => {
  it.each([
    ["gitdir: ../real.git\n", "real.git"],
    ["gitdir: ../real.git\r\n", "real.git"],
    ["gitdir: ../real.git", "real.git"],
    ["gitdir: ../none.git\n", undefined],
    [" gitdir: ../real.git\n", undefined],
    ["gitdir: ../real.git\nmore\n", undefined],
    ["", undefined],
  ])("is followed by a file .git that has %j: %s", async (text, name) => {
    await make("real.git");
    await write({ "tree/.git": text });
    const found = locateRepository(join(folder, "tree"));
    if (name === undefined) await expect(found).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
    else expect(await found).toMatchObject({ commonDir: join(folder, name) });
  });

  it.each<Readonly<Record<string, string>>>([
    { "tree/.git/config": "" },
    { "tree/.git/HEAD": "ref: refs/heads/main\n" },
  ])("is none in a folder .git with %j, as a clone that was stopped leaves it", async (files) => {
    await write(files);
    await expect(locateRepository(join(folder, "tree"))).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
  });

  it.each([
    ["../shared.git\n", "shared.git"],
    ["\n", "own.git"],
  ])("is shared by a file commondir that has %j: %s", async (commondir, name) => {
    await make("shared.git");
    expect(await locateRepository(await make("own.git", { commondir }))).toMatchObject({
      commonDir: join(folder, name),
    });
  });

  it.each([
    ["HEAD and objects", { HEAD: "", "objects/x": "" }, true],
    ["HEAD alone", { HEAD: "" }, false],
    ["objects alone", { "objects/x": "" }, false],
    ["a folder HEAD", { "HEAD/x": "", "objects/x": "" }, false],
    ["a file objects", { HEAD: "", objects: "" }, false],
    ["a .git, too", { ".git": "", HEAD: "", "objects/x": "" }, false],
  ])("is a folder with %s: it is one of its own, %s", async (_what, files, isOne) => {
    await write(Object.fromEntries(Object.entries(files).map(([file, text]) => [`a/${file}`, text])));
    expect(await isGitDir(join(folder, "a"))).toBe(isOne);
  });

  it("is reported where it is no repository, with the work tree that it is in", async () => {
    await make("tree/.git");
    await write({ "tree/file": "", "tree/clusters/dev/a": "", "plain/a": "" });
    const [nothing, file, inside, plain] = ["none", "tree/file", "tree/clusters/dev", "plain"].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    const root = join(folder, "tree");
    await expect(locateRepository(nothing)).rejects.toThrow(`open ${nothing}: it is not there`);
    await expect(locateRepository(file)).rejects.toThrow(`open ${file}: it is no folder`);
    await expect(locateRepository(inside)).rejects.toThrow(`it is a folder of the work tree ${root}; name that one`);
    await expect(locateRepository(plain)).rejects.toThrow(`open ${plain}: it is no git repository`);
  });

  it("is that of the work tree which a folder is in", async () => {
    await make("tree/.git");
    await make("tree/bare.git");
    await write({ "tree/clusters/dev/a": "", "plain/a": "" });
    const found = async (name: string) => workTreeOf(join(folder, name));
    const root = join(folder, "tree");
    expect(await Promise.all(["tree", "tree/clusters", "tree/clusters/dev"].map(found))).toEqual([root, root, root]);
    expect(await Promise.all(["plain", "tree/bare.git", "none"].map(found))).toEqual([undefined, undefined, undefined]);
    await mkdir(join(folder, "tree/clusters/.git"));
    expect(await found("tree/clusters/dev")).toBe(root);
    await write({ "tree/linked/.git": "gitdir: ../elsewhere", "tree/linked/a/b": "" });
    expect(await found("tree/linked/a")).toBe(join(root, "linked"));
  });

  it("A279 is no other user's, above a folder", async () => {
    await make("tree/.git");
    await write({ "tree/clusters/a": "" });
    const [root, below] = [join(folder, "tree"), join(folder, "tree/clusters")];
    const user = process.getuid?.() ?? 0;
    expect(await workTreeOf(below, user)).toBe(root);
    expect(await workTreeOf(below, user + 1)).toBeUndefined();
    expect(await workTreeOf(root, user + 1)).toBe(root);
  });

  it("is asked for again where it cannot be read", async () => {
    await symlink("loop", join(folder, "loop"));
    await expect(locateRepository(join(folder, "loop"))).rejects.toMatchObject({ recovery: "transient" });
  });
});

describe("the repositories that one borrows objects from", () => {
  const alternatesOf = async (name: string, alternates: string) =>
    (await locateRepository(await make(name, { "objects/info/alternates": alternates }))).objectDirs;

  it("are named by their objects, absolute or from its own, without comments", async () => {
    const [b, c] = [await make("b.git"), await make("c.git")];
    const lines = [`${b}/objects`, `#${b}/objects`, "", `${b}/HEAD`, "../../c.git/objects", ""].join("\n");
    expect(await alternatesOf("a.git", lines)).toEqual([join(folder, "a.git"), b, c]);
  });

  it("are followed as far as git follows them, also in a circle", async () => {
    for (let count = 7; count > 1; count -= 1) await alternatesOf(`r${count}.git`, `../../r${count + 1}.git/objects\n`);
    const found = await alternatesOf("r1.git", "../../r2.git/objects\n");
    expect(found).toEqual([1, 2, 3, 4, 5, 6].map((count) => join(folder, `r${count}.git`)));
    expect(await alternatesOf("circle.git", "../objects\n")).toHaveLength(6);
  });
});

it.each([
  ["ref: refs/heads/main\n", ["refs/heads/main"]],
  ["ref: refs/heads/main", ["refs/heads/main"]],
  ["ref: refs/heads/a/b\r\n", ["refs/heads/a/b"]],
  ["ref:\trefs/heads/main \n", ["refs/heads/main"]],
  ["ref: refs/heads/本番\u3000\n", ["refs/heads/本番\u3000"]],
  ["ref: refs/remotes/origin/main\n", []],
  [`${"1".repeat(40)}\n`, []],
])("a HEAD of %j is at %j, as git reads it", async (HEAD, refs) => {
  expect(await checkedOutRefs(await locateRepository(await make("a.git", { HEAD })))).toEqual(refs);
});
