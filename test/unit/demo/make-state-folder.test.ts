import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeStateFolder } from "../../../src/demo/make-state-folder.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";

it("git add in a work tree takes no key of a hub whose folder is in it", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  await runGit(folder.path, ["init", "--quiet"]);
  const dir = join(folder.path, "demo", "hub");
  await makeStateFolder(dir);
  await writeFile(join(dir, "hub.kubeconfig"), "");
  expect(await runGit(folder.path, ["status", "--porcelain"])).toBe("");
});

it("a folder that is there gets no .gitignore", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const dir = join(folder.path, "fleet");
  await mkdir(dir);
  await makeStateFolder(dir);
  expect(await readdir(dir)).toEqual([]);
});
