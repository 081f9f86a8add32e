import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { unreadable } from "../../../src/core/unreadable.ts";
import { readWorkTreeFile } from "../../../src/work-tree/read-work-tree.ts";
import { cloneNotes, workTreeNotes } from "../../../src/work-tree/work-tree-notes.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

let folder: { path: string; remove: () => Promise<void> };
let dir: string;

beforeEach(async () => {
  folder = await makeTempFolder();
  dir = join(folder.path, "tree");
});
afterEach(() => folder.remove());

/** Files as they are after a checkout: written a while before the index was. */
async function commitFiles(count: number): Promise<void> {
  await runGit(folder.path, ["init", "-q", "-b", "main", dir]);
  const before = new Date(Date.now() - 60_000);
  mkdirSync(join(dir, "clusters"));
  for (let number = 0; number < count; number += 1) {
    const path = join(dir, `clusters/c-${number}.yaml`);
    writeFileSync(path, `# ${number}\n`);
    utimesSync(path, before, before);
  }
  await runGit(dir, ["add", "-A"]);
  await runGit(dir, ["commit", "-q", "-m", "start"]);
}

function openClone(): Promise<GitEngine> {
  const cacheDir = join(folder.path, "none");
  return openLocalEngine(dir, cacheDir);
}

async function notesWithReads(): Promise<{ notes: readonly string[]; read: readonly string[] }> {
  const git = await openClone();
  const read: string[] = [];
  try {
    const head = (await git.fetchHead("main")) ?? "";
    const readFile: typeof readWorkTreeFile = (root, path, maximumBytes) => {
      read.push(path);
      return readWorkTreeFile(root, path, maximumBytes);
    };
    return { notes: await workTreeNotes(git, { dir, head, branch: "main", readFile }), read };
  } finally {
    await git.close();
  }
}

describe("workTreeNotes", () => {
  it.each([30, 300])("reads the one edited file of %i files, and names it", async (count) => {
    await commitFiles(count);
    writeFileSync(join(dir, "clusters/c-7.yaml"), "# edited\n");
    const { notes, read } = await notesWithReads();
    expect(read).toEqual(["clusters/c-7.yaml"]);
    expect(notes[0]).toMatch(/^1 file in the work tree differs .*: clusters\/c-7\.yaml\. Commit first\.$/u);
  });

  it.each(["--index-version=2", "--index-version=4"])(
    "names no file that a sparse checkout leaves out, %s",
    async (form) => {
      await commitFiles(2);
      await runGit(dir, ["update-index", form]);
      await runGit(dir, ["sparse-checkout", "set", "--no-cone", "clusters/c-0.yaml"]);
      expect((await notesWithReads()).notes.filter((note) => note.includes("differ"))).toEqual([]);
      rmSync(join(dir, "clusters/c-0.yaml"));
      expect((await notesWithReads()).notes[0]).toMatch(/^1 file .*: clusters\/c-0\.yaml\./u);
    },
  );

  it("names no file of which git writes the ends of lines as CRLF", async () => {
    await commitFiles(2);
    await runGit(dir, ["config", "core.autocrlf", "true"]);
    writeFileSync(join(dir, "clusters/c-0.yaml"), "# 0\r\n");
    expect((await notesWithReads()).notes.filter((note) => note.includes("differ"))).toEqual([]);
    writeFileSync(join(dir, "clusters/c-1.yaml"), "# other\r\n");
    expect((await notesWithReads()).notes[0]).toMatch(/^1 file .*: clusters\/c-1\.yaml\./u);
  });

  it("names no file as removed where a split index has what a sparse checkout leaves out", async () => {
    await commitFiles(2);
    await runGit(dir, ["update-index", "--split-index"]);
    await runGit(dir, ["sparse-checkout", "set", "--no-cone", "clusters/c-0.yaml"]);
    writeFileSync(join(dir, "clusters/c-0.yaml"), "# changed\n");
    expect((await notesWithReads()).notes[0]).toMatch(/^1 file .*: clusters\/c-0\.yaml\./u);
  });

  it("names an ignored file that is staged, and one that was taken out of the index", async () => {
    await commitFiles(2);
    writeFileSync(join(dir, ".git/info/exclude"), "*.yaml\n");
    writeFileSync(join(dir, "clusters/new.yaml"), "# staged\n");
    await runGit(dir, ["add", "-f", "clusters/new.yaml"]);
    await runGit(dir, ["rm", "-q", "--cached", "clusters/c-0.yaml"]);
    expect((await notesWithReads()).notes[0]).toMatch(/^2 files .*: clusters\/c-0\.yaml, clusters\/new\.yaml\./u);
  });

  it("names a staged file that the commit does not have as it is", async () => {
    await commitFiles(3);
    writeFileSync(join(dir, "clusters/c-1.yaml"), "# staged\n");
    await runGit(dir, ["add", "-A"]);
    const { notes } = await notesWithReads();
    expect(notes[0]).toMatch(/^1 file in the work tree differs .*: clusters\/c-1\.yaml\./u);
  });
});

describe("workTreeNotes, of a clean work tree", () => {
  it("reports a commit that origin does not have, or is not known to have", async () => {
    await commitFiles(1);
    const remote = (commit: string) => runGit(dir, ["update-ref", "refs/remotes/origin/main", commit]);
    expect((await notesWithReads()).notes).toEqual([
      "This clone knows no branch main of origin: it is not known which commits are pushed.",
    ]);
    const first = (await runGit(dir, ["rev-parse", "HEAD"])).trim();
    await remote(first);
    expect((await notesWithReads()).notes).toEqual([]);
    await runGit(dir, ["commit", "-q", "--allow-empty", "-m", "second"]);
    const second = (await runGit(dir, ["rev-parse", "HEAD"])).trim();
    expect((await notesWithReads()).notes).toEqual([
      `Commit ${second.slice(0, 12)} is not on main of origin: the daemon does not see it before it is merged or pushed there.`,
    ]);
    await runGit(dir, ["commit", "-q", "--allow-empty", "-m", "third"]);
    await remote("HEAD");
    await runGit(dir, ["reset", "-q", "--soft", second]);
    expect((await notesWithReads()).notes).toEqual([]);
  });

  it("names three of the files that differ, removed ones too, and counts the others; a link is none of them", async () => {
    await commitFiles(6);
    for (const number of [0, 1, 2]) rmSync(join(dir, `clusters/c-${number}.yaml`));
    writeFileSync(join(dir, "clusters/c-4.yaml"), "# edited\n");
    writeFileSync(join(dir, "notes.txt"), "no file of a fleet\n");
    symlinkSync("c-3.yaml", join(dir, "clusters/link.yaml"));
    expect((await notesWithReads()).notes[0]).toMatch(
      /^4 files in the work tree differ .* are not part of this plan: (clusters\/c-[012]\.yaml(, )?){3} and 1 more\. Commit first\.$/u,
    );
    rmSync(join(dir, "clusters/c-3.yaml"));
    rmSync(join(dir, "clusters/link.yaml"));
    expect((await notesWithReads()).notes[0]).toContain(" and 2 more. Commit first.");
  });

  it("compares the content of .yaml and .yml files: one that was only touched is none of those that differ", async () => {
    await commitFiles(2);
    await runGit(dir, ["update-ref", "refs/remotes/origin/main", "HEAD"]);
    utimesSync(join(dir, "clusters/c-0.yaml"), new Date(0), new Date(0));
    writeFileSync(join(dir, "clusters/c-1.yaml.bak"), "no file of a fleet\n");
    expect(await notesWithReads()).toEqual({ notes: [], read: ["clusters/c-0.yaml"] });
    writeFileSync(join(dir, "clusters/new.yml"), "# new\n");
    expect((await notesWithReads()).notes).toEqual([expect.stringContaining(": clusters/new.yml. Commit first.")]);
  });

  it("reports no new file that git ignores, and no file that this user may not read", async () => {
    await commitFiles(1);
    await runGit(dir, ["update-ref", "refs/remotes/origin/main", "HEAD"]);
    writeFileSync(join(dir, ".gitignore"), "scratch/\n");
    mkdirSync(join(dir, "scratch"));
    writeFileSync(join(dir, "scratch/new.yaml"), "# new\n");
    utimesSync(join(dir, "clusters/c-0.yaml"), new Date(0), new Date(0));
    const readFile: typeof readWorkTreeFile = (_, path) => {
      throw unreadable(path, Object.assign(new Error("refused"), { code: "EACCES" }));
    };
    const git = await openClone();
    const head = (await git.fetchHead("main")) ?? "";
    expect(await workTreeNotes(git, { dir, head, branch: "main", readFile })).toEqual([]);
    await git.close();
  });

  it("reports nothing of a folder without a repository of its own, as a bare one is", async () => {
    await commitFiles(1);
    const git = await openClone();
    expect(await workTreeNotes(git, { dir: join(dir, ".git"), head: "1".repeat(40), branch: "main" })).toEqual([]);
    await git.close();
  });
});

describe("cloneNotes", () => {
  async function notesOf(revision: string): Promise<readonly string[]> {
    const git = await openClone();
    try {
      return await cloneNotes(git, { dir, head: revision });
    } finally {
      await git.close();
    }
  }
  const revisionOf = async (name: string): Promise<string> => (await runGit(dir, ["rev-parse", name])).trim();

  it("names edits, new files and files of commits that are not pushed", async () => {
    await commitFiles(3);
    const pushed = await revisionOf("HEAD");
    expect(await notesOf(pushed)).toEqual([]);
    writeFileSync(join(dir, "clusters/c-1.yaml"), "# committed\n");
    await runGit(dir, ["commit", "-qam", "not pushed"]);
    writeFileSync(join(dir, "clusters/c-2.yaml"), "# edited\n");
    writeFileSync(join(dir, "clusters/new.yaml"), "# new\n");
    expect(await notesOf(pushed)).toEqual([
      `3 files in the work tree differ from commit ${pushed.slice(0, 12)} and are not part of this plan: clusters/c-1.yaml, clusters/c-2.yaml, clusters/new.yaml. \`rollcall diff\` compares them with the hub.`,
    ]);
  });

  it("reports nothing of a commit that the clone does not have: it may be of another repository", async () => {
    await commitFiles(1);
    writeFileSync(join(dir, "clusters/c-0.yaml"), "# edited\n");
    expect(await notesOf("1".repeat(40))).toEqual([]);
  });
});
