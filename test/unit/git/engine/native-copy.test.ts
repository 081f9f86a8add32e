import { chmod, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openNativeCopy } from "../../../../src/git/engine/native-copy.ts";
import type { NativeCopy } from "../../../../src/git/engine/native-copy.ts";
import { makeNativeGit } from "../../../../src/git/engine/native-git.ts";
import { nameObject } from "../../../../src/git/objects/git-object.ts";
import { isRunning } from "../../../support/is-running.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

const [url, ref] = ["https://git.example.com/fleet.git", "refs/heads/main"];
const missing = "1".repeat(40);
let folder = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = made.path;
  return made.remove;
});

/** A `git` that records its process and its arguments, and becomes git. */
async function spyOnGit(): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  const script = `#!/bin/sh\necho "$$ $*" >> '${folder}/ran'\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`;
  await writeFile(join(bin, "git"), script);
  await chmod(join(bin, "git"), 0o755);
  return `${bin}:/usr/local/bin:/usr/bin:/bin`;
}

async function readers(): Promise<number[]> {
  const lines = (await readFile(join(folder, "ran"), "utf8")).split("\n");
  return lines.filter((line) => line.includes("cat-file")).map((line) => Number.parseInt(line, 10));
}

async function openCopy(of = url): Promise<NativeCopy> {
  const git = makeNativeGit({ folder, protocol: "file", searchPath: await spyOnGit() });
  const copy = await openNativeCopy({ folder, url: of, git, random: realRandom });
  onTestFinished(() => copy.close());
  return copy;
}

const blob = nameObject("blob", Buffer.from("a"), "sha1");
const tree = nameObject("tree", Buffer.concat([Buffer.from("100644 a\0"), Buffer.from(blob.id, "hex")]), "sha1");
const text = `tree ${tree.id}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nm\n`;
const commit = nameObject("commit", Buffer.from(text), "sha1");

/** A copy with one branch, as a fetch leaves it. */
async function fill(objects = [blob, tree, commit]): Promise<NativeCopy> {
  const copy = await openCopy();
  await copy.prepare("sha1");
  await copy.writeObjects(objects);
  await copy.writeHead(ref, commit.id);
  return copy;
}

describe("a copy that an earlier run left", () => {
  it.each([
    ["is used for the repository that it is a copy of", url, true],
    ["is emptied for another one", "https://git.example.com/other.git", false],
    ["is emptied for one whose address begins the same", `${url}x`, false],
  ])("%s", async (_what, of, isKept) => {
    await (await fill()).close();
    const copy = await openCopy(of);
    expect(copy.isThere()).toBe(isKept);
    expect(await copy.readHead(ref)).toBe(isKept ? commit.id : undefined);
    expect(await copy.objects.has(commit.id)).toBe(isKept);
    await copy.prepare("sha1");
    expect(await copy.objects.has(commit.id)).toBe(isKept);
    expect(await copy.readHead(ref)).toBe(isKept ? commit.id : undefined);
  });

  it("loses what a killed git left there, and nothing else", async () => {
    const packs = ["objects/pack/pack-1.keep", "objects/pack/tmp_pack_x", "objects/pack/tmp_idx_y"];
    const locks = ["packed-refs.lock", "gc.pid", "refs/cache/x.lock"];
    const copy = await fill();
    await copy.close();
    for (const name of [...packs, ...locks]) await writeFile(join(copy.gitDir, name), "");
    await openCopy();
    const left = await readdir(copy.gitDir, { recursive: true });
    expect([...packs, ...locks].filter((name) => left.includes(name))).toEqual(["objects/pack/pack-1.keep"]);
  });
});

describe("a copy", () => {
  it("is not there before it is prepared, and has nothing then", async () => {
    const copy = await openCopy();
    expect([copy.isThere(), copy.objects.format, await copy.readHead(ref)]).toEqual([false, "sha1", undefined]);
    await copy.writeHead(ref, commit.id);
    expect(await copy.objects.has(commit.id)).toBe(false);
    await expect(copy.objects.read(commit.id)).rejects.toMatchObject({ data: { id: commit.id, isMissing: true } });
    await copy.removeUnfinished();
  });

  it("is made anew for another form of ids alone", async () => {
    const copy = await fill();
    for (const format of ["sha1", "sha256", "sha256"] as const) {
      await copy.prepare(format);
      expect(copy.objects.format).toBe(format);
      expect(await copy.readHead(ref)).toBe(format === "sha1" ? commit.id : undefined);
    }
  });

  it("has a head for each branch", async () => {
    const copy = await fill();
    await copy.writeHead("refs/heads/other", commit.id);
    await copy.writeHead(ref, undefined);
    expect(await copy.readHead(ref)).toBeUndefined();
    expect(await copy.readHead("refs/heads/other")).toBe(commit.id);
  });

  it.each([
    ["whole", [blob, tree, commit], true],
    ["without a file", [tree, commit], false],
  ])("that is %s is reported so", async (_what, objects, isWhole) => {
    expect(await (await fill(objects)).isWhole()).toBe(isWhole);
  });

  it("loses the packs that a failed fetch left", async () => {
    const copy = await fill();
    const packs = join(copy.gitDir, "objects", "pack");
    for (const name of ["tmp_pack_x", "pack-1.keep", "tmp_idx_y"]) await writeFile(join(packs, name), "");
    await copy.removeUnfinished();
    expect(await readdir(packs)).toEqual(["pack-1.keep"]);
  });

  it.each(["empty", "close"] as const)("ends the process that reads from it: %s", async (end) => {
    const copy = await fill();
    expect(await copy.objects.read(commit.id)).toMatchObject({ type: "commit" });
    const [reader = 0] = await readers();
    expect(isRunning(reader)).toBe(true);
    await copy[end]();
    expect(isRunning(reader)).toBe(false);
    expect((await readdir(folder)).includes("repository.git")).toBe(end === "close");
  });

  it("that git cannot read is damaged", async () => {
    const copy = await fill();
    await rm(join(copy.gitDir, "HEAD"));
    for (const attempt of [() => copy.readHead(ref), () => copy.writeHead(ref, missing)])
      await expect(attempt()).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
  });

  it("needs a git that knows its ids", async () => {
    const copy = await openCopy();
    await writeFile(join(folder, "bin", "git"), "#!/bin/sh\nexit 129\n");
    await expect(copy.prepare("sha256")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    expect(copy.isThere()).toBe(false);
  });
});
