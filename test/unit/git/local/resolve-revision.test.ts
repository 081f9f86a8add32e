import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { blobIdOf } from "../../../../src/core/blob-id.ts";
import { openGitEngine } from "../../../../src/git/engine/open-git-engine.ts";
import type { GitEngine } from "../../../../src/git/git.ts";
import { isShallowClone, resolveBranch, resolveRevision } from "../../../../src/git/local/resolve-revision.ts";
import { realClock, realRandom } from "../../../../src/system/real-clock.ts";
import { createRepository, makeTempFolder, runGit } from "../../../support/git-repositories.ts";
import type { TestRepository } from "../../../support/git-repositories.ts";

const folder = await makeTempFolder();
const absent = "there is no commit, branch or tag of that name";
afterAll(() => folder.remove());

describe("resolveRevision", () => {
  let repository: TestRepository;
  let git: GitEngine;
  let first: string;
  let second: string;

  beforeAll(async () => {
    const path = join(folder.path, "fleet");
    repository = await createRepository(path);
    first = await repository.commit({ files: { a: "1" } });
    second = await repository.commit({ files: { a: "2" } });
    await repository.git("tag", "light", first);
    await repository.git("tag", "-a", "-m", "Release", "release", first);
    await repository.git("tag", "-a", "-m", "Release of a release", "outer", "release");
    await repository.git("tag", "-a", "-m", "No commit", "file", `${first}:a`);
    const ways = { isLocalAllowed: true, clock: realClock, random: realRandom };
    git = await openGitEngine({ url: path, cacheDir: join(folder.path, "cache"), ...ways });
  });
  afterAll(() => git.close());

  const resolve = (revision: string) => resolveRevision(revision, { path: repository.path, git });

  it("is the commit of an annotated tag, of a tag of a tag, and of the tag's own id", async () => {
    const id = (await repository.git("rev-parse", "release")).trim();
    const found = await Promise.all(["release", "outer", "refs/tags/release", id].map(resolve));
    expect(found).toEqual([first, first, first, first]);
    await repository.git("pack-refs", "--all");
    expect(await resolve("release")).toBe(first);
  });

  it("is the commit of a branch whose name has another space than that of ASCII, by its name and where it is checked out", async () => {
    const path = join(folder.path, "spaces");
    const other = await createRepository(path);
    const branch = "東京\u3000本番";
    const id = await other.commit({ branch, files: { a: "1" } });
    await other.git("symbolic-ref", "HEAD", `refs/heads/${branch}`);
    const cacheDir = join(folder.path, "cache-of-spaces");
    const engine = await openGitEngine({
      url: path,
      cacheDir,
      isLocalAllowed: true,
      clock: realClock,
      random: realRandom,
    });
    onTestFinished(() => engine.close());
    expect(await resolveRevision(branch, { path, git: engine })).toBe(id);
    expect(await resolveRevision("HEAD", { path, git: engine })).toBe(id);
  });

  it("asks for a first commit, and for no other branch, where the branch that is checked out has none", async () => {
    const path = join(folder.path, "unborn");
    await (await createRepository(path)).git("symbolic-ref", "HEAD", "refs/heads/unborn");
    await expect(resolveRevision("HEAD", { path, git })).rejects.toMatchObject({
      code: "E_GIT_BRANCH_MISSING",
      message: `find HEAD in ${path}: the branch that is checked out has no commit yet`,
      remedy: "Make the first commit, or check out a branch that has one.",
    });
  });

  it("names the branch that clones of this repository call origin/NAME, and no other", async () => {
    const hint = "; it is main in this repository";
    await expect(resolve("origin/main~1")).rejects.toThrow(
      `find origin/main~1 in ${repository.path}: ${absent}${hint}`,
    );
    await expect(resolve("remotes/origin/main")).rejects.toThrow(hint);
    await expect(resolve("refs/remotes/origin/main")).rejects.toThrow(hint);
    for (const other of ["origin/light", "origin/nowhere", "origin/../main", "upstream/main", "x-origin/main"])
      await expect(resolve(other)).rejects.toMatchObject({ message: `find ${other} in ${repository.path}: ${absent}` });
  });

  it("asks for the rest of the history where a parent is missing", async () => {
    await expect(resolve("main~2")).rejects.toMatchObject({
      code: "E_GIT_BRANCH_MISSING",
      remedy: expect.stringContaining("git fetch --unshallow") as string,
    });
  });

  it("walks back from the commit of a tag", async () => {
    await repository.git("tag", "-a", "-m", "Next", "next", second);
    expect([await resolve("next"), await resolve("next~1"), await resolve("next^"), await resolve("next^0")]).toEqual([
      second,
      first,
      first,
      second,
    ]);
  });

  it("is the commit of a branch, of a tag without a message, of HEAD and of an id, also one that is not here", async () => {
    const absent = [1, 2].map((digit) => `${digit}`.repeat(digit === 1 ? 40 : 64));
    const found = await Promise.all(["main", "light", "HEAD", "main~1", second, ...absent].map(resolve));
    expect(found).toEqual([second, first, second, first, second, ...absent]);
  });

  it("is the commit of a branch here, not of the remote's, and of one that only the remote has", async () => {
    for (const name of ["main", "theirs"]) await repository.git("update-ref", `refs/remotes/origin/${name}`, first);
    expect(await Promise.all(["main", "origin/main", "theirs"].map(resolve))).toEqual([second, first, first]);
  });

  it("is what HEAD is in a linked work tree, where branch and repository end in a space that is none of ASCII", async () => {
    const [path, linked, branch] = [join(folder.path, "fleet\u3000"), join(folder.path, "linked"), "本番\u3000"];
    const other = await createRepository(path, { isBare: false });
    const id = await other.commit({ files: { a: "1" } });
    await other.git("worktree", "add", "-q", "-b", branch, linked);
    expect(await resolveRevision("HEAD", { path: linked, git })).toBe(id);
  });

  it("is what HEAD is, also where no branch is checked out", async () => {
    const path = join(folder.path, "detached");
    await runGit(folder.path, ["clone", "-q", repository.path, path]);
    await runGit(path, ["checkout", "-q", "--detach", first]);
    expect(await resolveRevision("HEAD", { path, git })).toBe(first);
    expect(await resolveRevision("@", { path, git })).toBe(first);
  });

  it("is the parent of that number of a merge, or the one as many steps back", async () => {
    const make = async (...parents: readonly string[]): Promise<string> => {
      const options = parents.flatMap((parent) => ["-p", parent]);
      return (await repository.git("commit-tree", "-m", "made", ...options, `${first}^{tree}`)).trim();
    };
    const other = await make();
    const merge = await make(second, other);
    const revisions = ["^", "^1", "^2", "~1", "~2", "^1~1", "~1^", "^0", "~0", "^2^0"].map((steps) => merge + steps);
    const found = await Promise.all(revisions.map(resolve));
    expect(found).toEqual([second, second, other, second, first, first, first, merge, merge, other]);
  });

  it("is the commit whose id begins so, loose and in a pack", async () => {
    expect(await Promise.all([resolve(first.slice(0, 7)), resolve(`${second.slice(0, 12)}~1`)])).toEqual([
      first,
      first,
    ]);
    await repository.git("gc", "-q");
    expect(await resolve(first.slice(0, 7))).toBe(first);
  });

  it("is the commit whose id begins so in a clone that borrows its objects", async () => {
    const path = join(folder.path, "shared");
    await runGit(folder.path, ["clone", "-q", "--bare", "--shared", repository.path, path]);
    expect(await resolveRevision(first.slice(0, 8), { path, git })).toBe(first);
  });

  it("is the commit of a tag and of the beginning of an id by SHA-256, loose and in a pack", async () => {
    const path = join(folder.path, "sha256");
    const other = await createRepository(path, { objectFormat: "sha256" });
    const commit = await other.commit({ files: { a: "1" } });
    await other.git("tag", "-a", "-m", "Release", "release", commit);
    const ways = { isLocalAllowed: true, clock: realClock, random: realRandom };
    const engine = await openGitEngine({ url: path, cacheDir: join(folder.path, "cache-sha256"), ...ways });
    const names = ["release", commit.slice(0, 9), commit.slice(0, 50)];
    const all = () => Promise.all(names.map((name) => resolveRevision(name, { path, git: engine })));
    expect(await all()).toEqual([commit, commit, commit]);
    await other.git("gc", "-q");
    expect(await all()).toEqual([commit, commit, commit]);
    await engine.close();
  });

  it("A198 refuses a name that a tag and a branch have, of which git takes the tag with a warning", async () => {
    await repository.git("branch", "twice", second);
    await repository.git("tag", "twice", first);
    await expect(resolve("twice")).rejects.toThrow("it may be refs/tags/twice or refs/heads/twice");
    expect(await Promise.all(["heads/twice", "tags/twice"].map(resolve))).toEqual([second, first]);
    await repository.git("tag", "same", second);
    await repository.git("branch", "same", second);
    expect(await resolve("same")).toBe(second);
  });

  it("A198 refuses a tag whose name is the beginning of another commit's id", async () => {
    const name = second.slice(0, 12);
    await repository.git("tag", name, first);
    await expect(resolve(name)).rejects.toThrow(`it may be refs/tags/${name} or ${second}`);
    await repository.git("tag", "-f", name, second);
    expect(await resolve(name)).toBe(second);
    await repository.git("tag", "-d", name);
  });

  it("refuses the beginning of several ids, and reports that it is ambiguous", async () => {
    const ids = new Map<string, string>();
    for (let index = 0; ; index += 1) {
      const id = blobIdOf(`${index}`, first);
      const beginning = id.slice(0, 4);
      const other = ids.get(beginning);
      ids.set(beginning, `${index}`);
      if (other === undefined) continue;
      await repository.commit({ files: { one: other, other: `${index}` } });
      await expect(resolve(beginning)).rejects.toThrow(`several objects of the repository begin with ${beginning}`);
      return;
    }
  });

  it.each([
    ...["none", "", "main~x", "000000000000", "0".repeat(41), "0".repeat(63), "/heads/main", "../refs/heads/main"].map(
      (revision) => [revision, absent],
    ),
    ["file", "it is no commit"],
    ["main~5", "has no such parent"],
    ["main^2", "has no such parent"],
  ])("refuses %j: %s", async (revision = "", reason) => {
    await expect(resolve(revision)).rejects.toMatchObject({
      code: "E_GIT_BRANCH_MISSING",
      message: expect.stringContaining(reason ?? "") as string,
    });
  });

  it("knows a clone without the whole history", async () => {
    const path = join(folder.path, "shallow");
    await runGit(folder.path, ["clone", "-q", "--depth=1", pathToFileURL(repository.path).href, path]);
    expect(await Promise.all([isShallowClone(path), isShallowClone(repository.path)])).toEqual([true, false]);
  });
});

describe("resolveBranch", () => {
  it("A198 reads no tag of a branch's name, also where only the remote has the branch", async () => {
    const path = join(folder.path, "branches");
    const repository = await createRepository(path);
    const [first, second] = [
      await repository.commit({ files: { a: "1" } }),
      await repository.commit({ files: { a: "2" } }),
    ];
    await repository.git("update-ref", "refs/remotes/origin/rollcall/status", second);
    for (const name of ["rollcall/status", "origin/rollcall/status", "main", "only"])
      await repository.git("tag", name, first);
    const names = ["rollcall/status", "origin/rollcall/status", "refs/remotes/origin/rollcall/status", "main"];
    expect(await Promise.all(names.map((name) => resolveBranch(name, path)))).toEqual([second, second, second, second]);
    for (const name of ["only", "tags/only", "refs/tags/only", "", "../tags/only", "../heads/main", "/main"])
      await expect(resolveBranch(name, path)).rejects.toMatchObject({ code: "E_GIT_BRANCH_MISSING" });
  });
});
