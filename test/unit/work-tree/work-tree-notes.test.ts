import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { readWorkTreeFile } from "../../../src/work-tree/read-work-tree.ts";
import { workTreeNotes } from "../../../src/work-tree/work-tree-notes.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";

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

async function notesWithReads(): Promise<{ notes: readonly string[]; read: readonly string[] }> {
  const url = dir;
  const cacheDir = join(folder.path, "none");
  const git = await openGitEngine({ url, cacheDir, isLocalAllowed: true, clock: realClock, random: realRandom });
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

  it("names a staged file that the commit does not have as it is", async () => {
    await commitFiles(3);
    writeFileSync(join(dir, "clusters/c-1.yaml"), "# staged\n");
    await runGit(dir, ["add", "-A"]);
    const { notes } = await notesWithReads();
    expect(notes[0]).toMatch(/^1 file in the work tree differs .*: clusters\/c-1\.yaml\./u);
  });
});
