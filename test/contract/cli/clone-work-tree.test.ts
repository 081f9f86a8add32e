import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneWorkTree } from "../../../src/demo/clone-work-tree.ts";
import { openFleetRepository } from "../../../src/demo/up-fleet-repository.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";

describe("the work tree of rollcall up", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository = "";
  beforeAll(async () => {
    folder = await makeTempFolder();
    const opened = await openFleetRepository(join(folder.path, "fleet.git"), undefined);
    await opened.addFiles(new Map([["README.md", "# A fleet\n"]]), "Begin the fleet\n");
    await opened.git.close();
    repository = opened.path;
  });
  afterAll(() => folder.remove());

  it("changes no setting of the repository that GIT_DIR names, as in a hook of git", async () => {
    const other = join(folder.path, "other");
    await runGit(folder.path, ["init", "-q", other]);
    const settings = join(other, ".git/config");
    const before = await readFile(settings, "utf8");
    const path = join(folder.path, "beside-git-dir");
    const environment = { ...process.env, GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other };
    expect(await cloneWorkTree(repository, path, environment)).toEqual({ isThere: true });
    expect(await readFile(settings, "utf8")).toBe(before);
    const ours = await readFile(join(path, ".git/config"), "utf8");
    expect(ours).toContain("name = You");
    expect(ours).toContain("email = you@example.com");
  });

  it("is made, and can be pushed from, where the user's git allows no folders and has a hook that fails", async () => {
    const home = join(folder.path, "home");
    const settings = join(home, ".gitconfig");
    const hook = join(home, "hooks/post-checkout");
    await mkdir(join(home, "hooks"), { recursive: true });
    await writeFile(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await writeFile(settings, `[protocol "file"]\nallow = never\n[core]\nhooksPath = ${join(home, "hooks")}\n`);
    const path = join(folder.path, "beside-rules");
    const environment = { ...process.env, HOME: home, GIT_CONFIG_GLOBAL: settings };
    expect(await cloneWorkTree(repository, path, environment)).toEqual({ isThere: true });
    const env = { HOME: home, GIT_CONFIG_GLOBAL: settings };
    await runGit(path, ["push", "-q", "origin", "HEAD:refs/heads/other"], { env });
    expect(await runGit(repository, ["branch", "--list", "other"])).toContain("other");
  });

  it("is made where a process that was killed left a part of it, and stays as it is at the next start", async () => {
    const path = join(folder.path, "again");
    await mkdir(`${path}.partial`);
    await writeFile(join(`${path}.partial`, "left"), "");
    expect(await cloneWorkTree(repository, path, process.env)).toEqual({ isThere: true });
    await writeFile(join(path, "README.md"), "# Changed\n");
    expect(await cloneWorkTree(repository, path, process.env)).toEqual({ isThere: true });
    expect((await readdir(path)).sort()).toEqual([".git", "README.md"]);
    expect(await readFile(join(path, "README.md"), "utf8")).toBe("# Changed\n");
  });

  it("names what git wrote where git cannot make it", async () => {
    const path = join(folder.path, "fails");
    expect(await cloneWorkTree(join(folder.path, "no.git"), path, process.env)).toEqual({
      isThere: false,
      failure: expect.stringContaining("does not exist") as unknown,
    });
  });

  it("is none where there is no git, or none that this user may run", async () => {
    const path = join(folder.path, "no-git");
    const clone = () => cloneWorkTree(repository, path, { PATH: folder.path });
    expect(await clone()).toEqual({ isThere: false });
    await writeFile(join(folder.path, "git"), "");
    expect(await clone()).toEqual({ isThere: false });
  });
});
