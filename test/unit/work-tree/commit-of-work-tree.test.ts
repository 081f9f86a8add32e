import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { commitOfWorkTree } from "../../../src/work-tree/commit-of-work-tree.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

let folder: { path: string; remove: () => Promise<void> };
let dir: string;
let git: GitEngine;
let head: string;

beforeEach(async () => {
  folder = await makeTempFolder();
  dir = join(folder.path, "tree");
  await runGit(folder.path, ["init", "-q", "-b", "main", dir]);
  mkdirSync(join(dir, "clusters"));
  for (const name of ["a", "b", "c"]) writeFileSync(join(dir, `clusters/${name}.yaml`), `# ${name}\n`);
  writeFileSync(join(dir, "README.md"), "A fleet\n");
  await runGit(dir, ["add", "-A"]);
  await runGit(dir, ["commit", "-q", "-m", "start"]);
  git = await openLocalEngine(dir, "");
  head = (await git.fetchHead("main")) ?? "";
});
afterEach(async () => {
  await git.close();
  await folder.remove();
});

describe("commitOfWorkTree", () => {
  it("is the checked out commit where no file differs", async () => {
    const tree = await commitOfWorkTree(git, dir, head);
    expect(tree.changed).toEqual([]);
    expect(tree.commit).toBe("0".repeat(40));
    expect(await tree.git.listFiles(tree.commit)).toEqual(await git.listFiles(head));
    expect(await tree.git.changedPaths(head, tree.commit)).toEqual([]);
  });

  it("has no change where git writes the ends of lines as CRLF, and has an edit of such a file", async () => {
    await runGit(dir, ["config", "core.autocrlf", "true"]);
    rmSync(join(dir, "clusters/a.yaml"));
    await runGit(dir, ["checkout", "--", "clusters/a.yaml"]);
    utimesSync(join(dir, "clusters/a.yaml"), 0, 0);
    expect(readFileSync(join(dir, "clusters/a.yaml"), "utf8")).toBe("# a\r\n");
    expect(await runGit(dir, ["status", "--porcelain"])).toBe("");
    expect((await commitOfWorkTree(git, dir, head)).changed).toEqual([]);
    writeFileSync(join(dir, "clusters/a.yaml"), "# other\r\n");
    expect((await commitOfWorkTree(git, dir, head)).changed).toEqual(["clusters/a.yaml"]);
  });

  it("refuses a bare repository, whose own files are no work tree", async () => {
    const bare = join(folder.path, "bare.git");
    await runGit(folder.path, ["clone", "-q", "--bare", dir, bare]);
    await expect(commitOfWorkTree(git, bare, head)).rejects.toMatchObject({
      code: "E_GIT_FOLDER",
      message: expect.stringContaining("it is a bare repository, which has no work tree") as string,
    });
  });

  it("has changed, new and deleted files, as a commit of them would", async () => {
    writeFileSync(join(dir, "clusters/a.yaml"), "# other\n");
    writeFileSync(join(dir, "clusters/d.yaml"), "# d\n");
    rmSync(join(dir, "clusters/b.yaml"));
    const tree = await commitOfWorkTree(git, dir, head);
    expect(tree.changed).toEqual(["clusters/a.yaml", "clusters/b.yaml", "clusters/d.yaml"]);
    const files = await tree.git.listFiles(tree.commit, ["clusters"]);
    const texts = await Promise.all(files.map(({ blobId }) => tree.git.readBlob(blobId)));
    expect(texts.map((bytes) => new TextDecoder().decode(bytes))).toEqual(["# other\n", "# c\n", "# d\n"]);
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", "next"]);
    const next = (await git.fetchHead("main")) ?? "";
    expect(await tree.git.listFiles(tree.commit)).toEqual(await git.listFiles(next));
    expect(await tree.git.changedPaths(head, tree.commit)).toEqual(await git.changedPaths(head, next));
  });

  it("removes no file that a sparse checkout leaves out, and has those that are there all the same", async () => {
    mkdirSync(join(dir, "other"));
    for (const name of ["d", "e"]) writeFileSync(join(dir, `other/${name}.yaml`), `# ${name}\n`);
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", "other"]);
    await runGit(dir, ["sparse-checkout", "set", "--cone", "clusters"]);
    const next = (await git.fetchHead("main")) ?? "";
    expect((await commitOfWorkTree(git, dir, next)).changed).toEqual([]);
    rmSync(join(dir, "clusters/b.yaml"));
    mkdirSync(join(dir, "other"));
    writeFileSync(join(dir, "other/d.yaml"), "# changed\n");
    const tree = await commitOfWorkTree(git, dir, next);
    expect(tree.changed).toEqual(["clusters/b.yaml", "other/d.yaml"]);
    const paths = (await tree.git.listFiles(tree.commit)).map(({ path }) => path);
    expect(paths).toEqual(["README.md", "clusters/a.yaml", "clusters/c.yaml", "other/d.yaml", "other/e.yaml"]);
  });

  it("removes no file that a sparse checkout with an index of version 4 leaves out", async () => {
    await runGit(dir, ["update-index", "--index-version=4"]);
    await runGit(dir, ["sparse-checkout", "set", "--no-cone", "/clusters/a.yaml"]);
    expect((await commitOfWorkTree(git, dir, head)).changed).toEqual([]);
    rmSync(join(dir, "clusters/a.yaml"));
    expect((await commitOfWorkTree(git, dir, head)).changed).toEqual(["clusters/a.yaml"]);
  });

  it("refuses a sparse checkout with a split index: which files are deleted is not known", async () => {
    await runGit(dir, ["update-index", "--split-index"]);
    expect((await commitOfWorkTree(git, dir, head)).changed).toEqual([]);
    await runGit(dir, ["sparse-checkout", "set", "--no-cone", "/clusters/a.yaml"]);
    await expect(commitOfWorkTree(git, dir, head)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      remedy: expect.stringContaining("git update-index --no-split-index") as string,
    });
    await runGit(dir, ["update-index", "--no-split-index"]);
    expect((await commitOfWorkTree(git, dir, head)).changed).toEqual([]);
  });

  it("A27 has files whose names are not UTF-8 as unsafe, committed or new, and reads the others", async () => {
    const bad = (byte: number): Buffer =>
      Buffer.concat([Buffer.from(`${dir}/clusters/`), Buffer.of(byte), Buffer.from(".yaml")]);
    writeFileSync(bad(0xff), "# bad\n");
    const fresh = await commitOfWorkTree(git, dir, head);
    expect(fresh.changed).toEqual(["clusters/\ufffd.yaml"]);
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", "bad"]);
    const next = (await git.fetchHead("main")) ?? "";
    writeFileSync(join(dir, "clusters/a.yaml"), "# other\n");
    const tree = await commitOfWorkTree(git, dir, next);
    expect(tree.changed).toEqual(["clusters/a.yaml"]);
    const unsafe = (await tree.git.listFiles(tree.commit)).filter(({ isUnsafe }) => isUnsafe === true);
    expect(unsafe.map(({ path }) => path)).toEqual(["clusters/\ufffd.yaml"]);
  });

  it("is a child of the checked out commit, and unsigned", async () => {
    const tree = await commitOfWorkTree(git, dir, head);
    expect((await tree.git.readCommit(tree.commit)).parents).toEqual([head]);
    expect(await tree.git.readSignature(tree.commit)).toBeUndefined();
    expect(await tree.git.isAncestor(head, tree.commit)).toBe(true);
    expect(await tree.git.isAncestor(tree.commit, head)).toBe(false);
    const commits = await tree.git.listCommits({ from: head, to: tree.commit });
    expect(commits.map(({ id }) => id)).toEqual([tree.commit]);
  });

  it("leaves out what git ignores, unless git knows it already", async () => {
    writeFileSync(join(dir, ".git/info/exclude"), "private.yaml\n");
    writeFileSync(join(dir, ".gitignore"), "clusters/\n");
    writeFileSync(join(dir, "private.yaml"), "# private\n");
    writeFileSync(join(dir, "clusters/new.yaml"), "# new\n");
    writeFileSync(join(dir, "clusters/a.yaml"), "# changed\n");
    expect((await commitOfWorkTree(git, dir, head)).changed).toEqual(["clusters/a.yaml"]);
  });

  it("has an ignored file that is staged, and not one that was taken out of the index, as the next commit does", async () => {
    writeFileSync(join(dir, ".git/info/exclude"), "*-private.yaml\n/clusters/a.yaml\n");
    writeFileSync(join(dir, "clusters/d-private.yaml"), "# staged\n");
    writeFileSync(join(dir, "clusters/e-private.yaml"), "# ignored\n");
    await runGit(dir, ["add", "-f", "clusters/d-private.yaml"]);
    await runGit(dir, ["rm", "-q", "--cached", "clusters/a.yaml", "clusters/b.yaml"]);
    const tree = await commitOfWorkTree(git, dir, head);
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", "next"]);
    const next = (await git.fetchHead("main")) ?? "";
    expect(await tree.git.listFiles(tree.commit)).toEqual(await git.listFiles(next));
    expect(tree.changed).toEqual(["clusters/a.yaml", "clusters/d-private.yaml"]);
  });

  it("has the files that git tracks in a folder of packages, and no others of such folders", async () => {
    const place = join(dir, "clusters/node_modules");
    mkdirSync(place);
    writeFileSync(join(place, "d.yaml"), "# d\n");
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", "packages"]);
    mkdirSync(join(dir, "node_modules"));
    writeFileSync(join(dir, "node_modules/e.yaml"), "# e\n");
    const { changed } = await commitOfWorkTree(git, dir, (await git.fetchHead("main")) ?? "");
    expect(changed).toEqual([]);
  });

  it("keeps a link a link, and gives a file that is too large to the reader as one", async () => {
    rmSync(join(dir, "clusters/a.yaml"));
    symlinkSync("b.yaml", join(dir, "clusters/a.yaml"));
    writeFileSync(join(dir, "large.yaml"), "#".repeat(2 * 1024 * 1024));
    const tree = await commitOfWorkTree(git, dir, head);
    const files = new Map((await tree.git.listFiles(tree.commit)).map((file) => [file.path, file]));
    expect(files.get("clusters/a.yaml")?.mode).toBe("link");
    const large = files.get("large.yaml")?.blobId ?? "";
    await expect(tree.git.readBlob(large)).rejects.toMatchObject({ code: "E_FILE_TOO_LARGE" });
  });
});
