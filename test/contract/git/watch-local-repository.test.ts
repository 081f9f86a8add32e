import { mkdirSync, rmSync, watch } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLocalEngine } from "../../../src/git/engine/local-engine.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { watchLocalRepository } from "../../../src/git/local/watch-local-repository.ts";
import { createRepository, makeTempFolder, runGit } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { until } from "../../support/until.ts";

interface Watched {
  readonly calls: string[][];
  readonly abort: AbortController;
  /** Resolves when a branch of that name was reported after this call. */
  readonly next: (name: string) => Promise<void>;
}

async function watched(path: string): Promise<Watched> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const calls: string[][] = [];
  let waiting: { name: string; resolve: () => void }[] = [];
  await watchLocalRepository(
    path,
    (branches) => {
      calls.push([...branches]);
      for (const waiter of waiting.filter(({ name }) => branches.includes(name))) waiter.resolve();
      waiting = waiting.filter(({ name }) => !branches.includes(name));
    },
    abort.signal,
  );
  return { calls, abort, next: (name) => new Promise((resolve) => waiting.push({ name, resolve })) };
}

async function tempFolder(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  return folder.path;
}

describe("watchLocalRepository", () => {
  it("calls once when it has begun, since what happened before is not known", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet.git"));
    const { calls } = await watched(repository.path);
    expect(calls).toEqual([[]]);
  });

  it("receives as few events for an own commit of many files as for one", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet.git"));
    const engine = await openLocalEngine({ path: repository.path, clock: realClock, random: realRandom });
    const eventsOf = async (branch: string, count: number): Promise<number> => {
      const seen: (string | null)[] = [];
      const watcher = watch(repository.path, (_, name) => seen.push(name));
      const paths = Array.from({ length: count }, (_, index) => `${branch}/${index}`);
      const changes = new Map(paths.map((path) => [path, path]));
      const author = { name: "Rollcall", email: "rollcall@example.org" };
      await engine.commitAndPush({ branch, parent: undefined, changes, message: "status\n", author, committedAtMs: 0 });
      await writeFile(join(repository.path, `last-${branch}`), "");
      await until(
        () => Promise.resolve(seen),
        (names) => names.includes(`last-${branch}`),
      );
      watcher.close();
      return seen.filter((name) => name?.startsWith("last-") !== true).length;
    };
    const one = await eventsOf("one", 1);
    expect(await eventsOf("two", 30)).toBe(one);
  });

  it("notices a native push, again and again", async () => {
    const folder = await tempFolder();
    const repository = await createRepository(join(folder, "fleet.git"));
    await repository.commit({ files: { a: "1" } });
    const clone = join(folder, "clone");
    await runGit(folder, ["clone", "-q", repository.path, clone]);
    const { next } = await watched(repository.path);
    for (let count = 0; count < 3; count++) {
      await writeFile(join(clone, "a"), `changed ${count}`);
      await runGit(clone, ["commit", "-qam", "change"]);
      const noticed = next("main");
      await runGit(clone, ["push", "-q", "origin", "main"]);
      await noticed;
    }
  });

  it("notices commits in a work tree, new branches in new folders, packing and deletion", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet"), { isBare: false });
    const { next, calls } = await watched(repository.path);
    const step = async (name: string, ...args: string[]): Promise<void> => {
      const noticed = next(name);
      await repository.git(...args);
      await noticed;
    };
    await step("main", "commit", "-q", "--allow-empty", "-m", "first");
    await step("team/a/deep", "branch", "team/a/deep");
    await step("team/a/deeper", "branch", "team/a/deeper");
    await repository.git("pack-refs", "--all", "--prune");
    await step("team/a/deep", "branch", "-D", "team/a/deep");
    await step("team/a/again", "branch", "team/a/again");
    await step("HEAD", "checkout", "-q", "team/a/again");
    await step("team/a/again", "commit", "-q", "--allow-empty", "-m", "second");
    // Packing alone moves no branch.
    expect(calls.filter((branches) => branches.length === 0)).toHaveLength(1);
  });

  it("notices each branch in folders that are made, emptied and made again", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet.git"));
    await repository.commit({ files: { a: "1" } });
    const { next } = await watched(repository.path);
    for (let count = 0; count < 20; count++) {
      const made = next("team/a/deep");
      await repository.git("branch", "team/a/deep");
      await made;
      const gone = next("team/a/deep");
      await repository.git("branch", "-D", "team/a/deep");
      await gone;
    }
  });

  it("notices each branch in a folder that was deleted and made again before anything else ran", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet.git"));
    const first = await repository.commit({ files: { a: "1" } });
    const second = await repository.commit({ files: { a: "2" } });
    const { next } = await watched(repository.path);
    const step = async (work: () => unknown): Promise<void> => {
      const noticed = next("team/a/deep");
      await work();
      await noticed;
    };
    const moveTo = (id: string): Promise<void> =>
      step(() => repository.git("update-ref", "refs/heads/team/a/deep", id));
    await moveTo(first);
    await step(() => {
      rmSync(join(repository.path, "refs", "heads", "team"), { recursive: true });
      mkdirSync(join(repository.path, "refs", "heads", "team", "a"), { recursive: true });
    });
    for (const id of [first, second, first, second]) await moveTo(id);
  });

  it("notices what an engine pushes, among quick changes always the last", async () => {
    const folder = await tempFolder();
    const repository = await createRepository(join(folder, "fleet.git"));
    const options = {
      url: repository.path,
      cacheDir: folder,
      isLocalAllowed: true,
      clock: realClock,
      random: realRandom,
    };
    const engine = await openGitEngine(options);
    const { next } = await watched(repository.path);
    let parent: string | undefined;
    for (let count = 0; count < 20; count++) {
      const noticed = next("status");
      parent = await engine.commitAndPush({
        branch: "status",
        parent,
        changes: new Map([["count", `${count}`]]),
        message: "count\n",
        author: { name: "Rollcall", email: "rollcall@example.org" },
        committedAtMs: 1_800_000_000_000,
      });
      if (count % 5 === 4) await noticed;
    }
  });

  it("does not care for files of the work tree", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet"), { isBare: false });
    const { calls, next } = await watched(repository.path);
    await mkdir(join(repository.path, "clusters"));
    await writeFile(join(repository.path, "clusters", "eu.yaml"), "a: 1\n");
    await repository.git("add", "--all");
    await repository.git("status");
    const noticed = next("main");
    await repository.git("commit", "-qm", "now it counts");
    await noticed;
    expect(calls).toEqual([[], ["main"]]);
  });

  it("ends with its signal", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet.git"));
    const first = await watched(repository.path);
    const second = await watched(`file://${repository.path}`);
    first.abort.abort();
    const noticed = second.next("main");
    await repository.commit({ files: { a: "1" } });
    await noticed;
    expect(first.calls).toEqual([[]]);
  });

  it("reports a change when the repository is deleted, so that it is read again", async () => {
    const repository = await createRepository(join(await tempFolder(), "fleet.git"));
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    let calls = 0;
    await new Promise<void>((resolve, reject) => {
      const onChange = (): void => void (++calls === 2 && resolve());
      watchLocalRepository(repository.path, onChange, abort.signal)
        .then(() => rm(repository.path, { recursive: true }))
        .catch(reject);
    });
  });

  it("reports that there is no repository", async () => {
    const folder = await tempFolder();
    const { signal } = new AbortController();
    await expect(watchLocalRepository(folder, () => undefined, signal)).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
  });
});
