import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { openLocalEngine } from "../../../src/git/engine/local-engine.ts";
import { buildScript } from "../../support/build-script.ts";
import { countOfRun } from "../../support/full-counts.ts";
import { createRepository, makeTempFolder, repositoryAt, runGit } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createInstantClock } from "../../support/manual-clock.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { request } from "./local-request.ts";

async function setUp({ isBare = true } = {}): Promise<{ folder: string; repository: TestRepository }> {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  return { folder, repository: await createRepository(join(folder, "fleet"), { isBare }) };
}

async function open(path: string, clock: Clock = realClock): Promise<GitEngine> {
  return openLocalEngine({ path, clock, random: realRandom });
}

describe("openLocalEngine", () => {
  it("reads a linked work tree and a folder reached by a link", async () => {
    const { folder, repository } = await setUp({ isBare: false });
    await repository.git("commit", "-q", "--allow-empty", "-m", "first");
    await repository.git("worktree", "add", "-q", "-b", "linked", join(folder, "tree"));
    await repositoryAt(join(folder, "tree")).git("commit", "-q", "--allow-empty", "-m", "in the linked tree");
    await symlink(repository.path, join(folder, "alias"));
    for (const path of [join(folder, "tree"), join(folder, "alias"), join(repository.path, ".git")]) {
      const engine = await open(path);
      expect(await engine.fetchHead("linked")).toBe(await repository.head("linked"));
      expect(await engine.fetchHead("main")).toBe(await repository.head("main"));
    }
  });

  it("reads objects that the repository borrows from another", async () => {
    const { folder, repository } = await setUp();
    const id = await repository.commit({ files: { a: "borrowed" } });
    await repository.git("gc", "-q");
    await runGit(folder, ["clone", "-q", "--bare", "--shared", repository.path, join(folder, "shared")]);
    const shared = repositoryAt(join(folder, "shared"));
    const engine = await open(shared.path);
    expect(await engine.fetchHead("main")).toBe(id);
    expect(await engine.listFiles(id)).toHaveLength(1);
    const status = await engine.commitAndPush({ ...request("side", id, { b: "own" }), isNewBranch: true });
    await shared.assertSound();
    expect(await shared.fileNames(status)).toEqual(["a", "b"]);
  });

  it("takes the edge of a shallow history for its beginning", async () => {
    const { folder, repository } = await setUp();
    const first = await repository.commit({ files: { a: "1" } });
    await repository.commit({ files: { a: "2" } });
    const tip = await repository.commit({ files: { a: "3" } });
    const shallow = join(folder, "shallow");
    await runGit(folder, ["clone", "-q", "--bare", "--depth=2", `file://${repository.path}`, shallow]);
    const engine = await open(shallow);
    expect(await engine.fetchHead("main")).toBe(tip);
    expect(await engine.listCommits({ to: tip })).toHaveLength(2);
    expect(await engine.isAncestor(first, tip)).toBe(false);
  });

  it("refuses what is no repository, or one that it cannot read", async () => {
    const { folder } = await setUp();
    await expect(open(join(folder, "nothing"))).rejects.toMatchObject({ code: "E_GIT_FOLDER", recovery: "stalled" });
    await mkdir(join(folder, "empty"));
    await expect(open(join(folder, "empty"))).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
    await writeFile(join(folder, "file"), "");
    await expect(open(join(folder, "file"))).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
    const partial = await createRepository(join(folder, "partial"));
    await partial.git("config", "core.repositoryFormatVersion", "1");
    await partial.git("config", "extensions.partialClone", "origin");
    await expect(open(partial.path)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await createRepository(join(folder, "sha256"), { objectFormat: "sha256" });
    await expect(open(join(folder, "sha256"))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it("F15 names the damaged object, and never shows its content", async () => {
    const { repository } = await setUp();
    const id = await repository.commit({ files: { a: "right" } });
    await repository.git("repack", "-adq");
    const pack = (await repository.git("rev-parse", "--git-path", "objects/pack")).trim();
    const packs = join(repository.path, pack);
    const name = (await readdir(packs)).find((entry) => entry.endsWith(".pack")) ?? "";
    const blobId = (await repository.git("rev-parse", `${id}:a`)).trim();
    const commitId = (await repository.git("rev-parse", id)).trim();
    // As loose objects: one of them with the content of another.
    const content = await readFile(join(packs, name));
    await rm(packs, { recursive: true });
    await mkdir(packs);
    await repository.gitWithInput(content, "unpack-objects", "-q");
    const wrong = (await repository.gitWithInput("wrong", "hash-object", "-w", "--stdin")).trim();
    const pathOf = (objectId: string): string =>
      join(repository.path, "objects", objectId.slice(0, 2), objectId.slice(2));
    await rm(pathOf(blobId));
    await writeFile(pathOf(blobId), await readFile(pathOf(wrong)));
    const engine = await open(repository.path);
    expect(await engine.fetchHead("main")).toBe(id);
    await expect(engine.readBlob(blobId)).rejects.toMatchObject({ code: "E_GIT_OBJECT", data: { id: blobId } });
    await rm(pathOf(commitId));
    await writeFile(pathOf(commitId), "");
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });

  it("F15 never gives the content of another object, also where a pack is intact and its index is not", async () => {
    const { repository } = await setUp();
    const id = await repository.commit({ files: { a: "right" } });
    const blobId = (await repository.git("rev-parse", `${id}:a`)).trim();
    await repository.git("repack", "-adq");
    const packs = join(repository.path, "objects/pack");
    const name = (await readdir(packs)).find((entry) => entry.endsWith(".idx")) ?? "";
    const index = await readFile(join(packs, name));
    const place = index.indexOf(Buffer.from(blobId, "hex"));
    index.writeUInt8(index.readUInt8(place + 19) ^ 1, place + 19);
    const other = index.toString("hex", place, place + 20);
    createHash("sha1")
      .update(index.subarray(0, -20))
      .digest()
      .copy(index, index.length - 20);
    await rm(join(packs, name));
    await writeFile(join(packs, name), index);
    const engine = await open(repository.path);
    await expect(engine.readBlob(other)).rejects.toMatchObject({ code: "E_GIT_OBJECT", data: { id: other } });
  });

  it("reports that a branch's file is damaged, as a power cut leaves it", async () => {
    const { repository } = await setUp();
    await repository.commit({ files: { a: "1" } });
    await writeFile(join(repository.path, "refs/heads/main"), "");
    const engine = await open(repository.path);
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });

  it("follows a branch that is a symbolic ref to another, and does not push to it", async () => {
    const { repository } = await setUp();
    const id = await repository.commit({ files: { a: "1" } });
    await repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    const engine = await open(repository.path);
    expect(await engine.fetchHead("alias")).toBe(id);
    await expect(engine.commitAndPush(request("alias", id, { a: "2" }))).rejects.toMatchObject({
      code: "E_GIT_PUSH_DENIED",
    });
  });

  it("does not push to a branch that a work tree has checked out", async () => {
    const { folder, repository } = await setUp({ isBare: false });
    await repository.git("commit", "-q", "--allow-empty", "-m", "first");
    await repository.git("worktree", "add", "-q", "-b", "linked", join(folder, "tree"));
    const engine = await open(repository.path);
    for (const branch of ["main", "linked"]) {
      const parent = await engine.fetchHead(branch);
      const push = engine.commitAndPush(request(branch, parent, { a: "1" }));
      await expect(push).rejects.toMatchObject({ code: "E_GIT_PUSH_DENIED" });
      expect(await repository.head(branch)).toBe(parent);
    }
    expect((await repository.git("status", "--porcelain")).trim()).toBe("");
  });

  it.each(["yes", "on", "TRUE", "1", '"true"'])("takes a repository for bare by %s, as git does", async (isBare) => {
    const { repository } = await setUp();
    const id = await repository.commit({ files: { a: "1" } });
    const config = join(repository.path, "config");
    const text = await readFile(config, "utf8");
    await writeFile(config, text.replace("bare = true", `bare = ${isBare}`));
    expect((await repository.git("rev-parse", "--is-bare-repository")).trim()).toBe("true");
    const pushed = await (await open(repository.path)).commitAndPush(request("main", id, { a: "2" }));
    expect(await repository.head("main")).toBe(pushed);
  });

  it.each(["no", "off", "0", ""])("takes a repository for one with a work tree by %j, as git does", async (isBare) => {
    const { repository } = await setUp({ isBare: false });
    await repository.git("commit", "-q", "--allow-empty", "-m", "first");
    const config = join(repository.path, ".git/config");
    await writeFile(config, (await readFile(config, "utf8")).replace("bare = false", `bare = ${isBare}`));
    expect((await repository.git("rev-parse", "--is-bare-repository")).trim()).toBe("false");
    const push = (await open(repository.path)).commitAndPush(
      request("main", await repository.head("main"), { a: "1" }),
    );
    await expect(push).rejects.toMatchObject({ code: "E_GIT_PUSH_DENIED" });
  });
});

describe("the lock of a branch", () => {
  const lockOf = (repository: TestRepository): string => join(repository.path, "refs", "heads", "status.lock");

  it("of native git is waited for, and never broken", async () => {
    const { repository } = await setUp();
    await writeFile(lockOf(repository), "");
    const clock = createInstantClock();
    const engine = await open(repository.path, clock);
    const push = engine.commitAndPush(request("status", undefined, { a: "1" }));
    await expect(push).rejects.toMatchObject({ code: "E_GIT_LOCKED", recovery: "transient" });
    expect(clock.sleepsMs.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(2000);
    expect(await readFile(lockOf(repository), "utf8")).toBe("");
    let sleeps = 0;
    const released: Clock = {
      nowMs: () => 0,
      monotonicMs: () => 0,
      sleep: async () => {
        if (++sleeps === 3) await rm(lockOf(repository));
      },
    };
    const patient = await open(repository.path, released);
    const id = await patient.commitAndPush(request("status", undefined, { a: "1" }));
    expect(await repository.head("status")).toBe(id);
  });

  it("holds native git off while it is held", async () => {
    const { repository } = await setUp();
    const id = await repository.commit({ files: { a: "1" } });
    await writeFile(lockOf(repository), "rollcall {}\n");
    await expect(repository.git("update-ref", "refs/heads/status", id)).rejects.toThrow(/status\.lock/u);
  });

  it("of a process of ours that has ended is taken over at once", async () => {
    const { repository } = await setUp();
    const gone = spawn(process.execPath, ["-e", ""]);
    await once(gone, "exit");
    await writeFile(lockOf(repository), `rollcall ${JSON.stringify({ pid: gone.pid })}\n`);
    const clock = createInstantClock();
    const engine = await open(repository.path, clock);
    const id = await engine.commitAndPush(request("status", undefined, { a: "1" }));
    expect(await repository.head("status")).toBe(id);
    expect(clock.sleepsMs).toEqual([]);
    expect(await readdir(join(repository.path, "refs", "heads"))).toEqual(["status"]);
    expect((await readdir(repository.path)).filter((name) => name.startsWith("rollcall-tmp"))).toEqual([]);
  });
});

describe("a local repository that is written by several", () => {
  it("F14 loses a race to a commit that lands while it waits for git's lock", async () => {
    const { repository } = await setUp();
    const parent = await repository.commit({ branch: "status", files: { a: "1" } });
    const lock = join(repository.path, "refs/heads/status.lock");
    await writeFile(lock, "");
    let theirs: string | undefined;
    const clock: Clock = {
      ...realClock,
      sleep: async () => {
        await rm(lock, { force: true });
        theirs ??= await repository.commit({ branch: "status", files: { theirs: "1" } });
      },
    };
    const engine = await open(repository.path, clock);
    const failure: unknown = await engine
      .commitAndPush(request("status", parent, { ours: "1" }))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "E_GIT_PUSH_RACE", data: { expected: parent, actual: theirs } });
    expect(await repository.head("status")).toBe(theirs);
  });

  it("F25 stays sound when our process is killed at any moment while native git pushes", async () => {
    const { folder, repository } = await setUp();
    await repository.git("config", "gc.auto", "0");
    const script = await buildScript("test/support/git-writer.ts", join(folder, "built"));
    await repository.commit({ branch: "status", files: { start: "1" } });
    const clone = join(folder, "clone");
    await runGit(folder, ["clone", "-q", "-b", "status", repository.path, clone]);
    let acknowledged = -1;
    let pushed = 0;
    const pushByHand = async (): Promise<void> => {
      await runGit(clone, ["pull", "-q", "--rebase"]);
      await runGit(clone, ["commit", "-q", "--allow-empty", "-m", `by hand ${pushed}`]);
      await runGit(clone, ["push", "-q", "origin", "status"]).then(
        () => pushed++,
        () => runGit(clone, ["reset", "-q", "--hard", "origin/status"]), // our process was faster
      );
    };
    const rounds = countOfRun({ full: 8, short: 4 });
    for (let round = 0; round < rounds; round++) {
      const child = spawn(process.execPath, [script, repository.path, "status", "ours"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(child, "exit");
      const killAfter = round % 4;
      let lines = 0;
      createInterface({ input: child.stdout }).on("line", (line) => {
        acknowledged = Math.max(acknowledged, Number(line));
        if (lines++ === killAfter) setTimeout(() => child.kill("SIGKILL"), Math.random() * 12);
      });
      await Promise.all([ended, pushByHand()]);
    }
    await repository.assertSound();
    const files = (await repository.fileNames("status")).filter((name) => name.startsWith("ours/"));
    expect(acknowledged).toBeGreaterThan(6);
    expect(files.length).toBeGreaterThan(acknowledged);
    // No number twice, none left out, no commit lost.
    expect(files).toEqual(files.map((_, index) => `ours/${String(index).padStart(5, "0")}`));
    const byHand = await repository.git("rev-list", "--count", "--grep=^by hand", "status");
    expect(Number(byHand)).toBe(pushed);
    const engine = await open(repository.path);
    const head = await engine.fetchHead("status");
    await engine.commitAndPush(request("status", head, { end: "1" }));
    expect(await readdir(join(repository.path, "refs", "heads"))).toEqual(["status"]);
  });

  it("reads on while native git repacks and prunes", async () => {
    const { repository } = await setUp();
    let id = "";
    for (let count = 0; count < 5; count++) {
      id = await repository.commit({
        files: Object.fromEntries([...Array(20).keys()].map((n) => [`f${n}`, `${count} ${n}`])),
      });
    }
    const engine = await open(repository.path);
    let isRepacking = true;
    const repack = async (): Promise<void> => {
      for (let count = 0; count < 6; count++) {
        await repository.commit({ files: { extra: `${count}` } });
        await repository.git("repack", "-adq", count % 2 === 0 ? "--window=0" : "--window=10", "-f");
        await repository.git("prune-packed", "-q");
      }
      isRepacking = false;
    };
    const repacking = repack();
    let reads = 0;
    while (isRepacking) {
      expect(await engine.listFiles(id)).toHaveLength(20);
      for (const { blobId } of await engine.listFiles(id)) await engine.readBlob(blobId);
      await engine.fetchHead("main");
      reads += 1;
    }
    await repacking;
    expect(reads).toBeGreaterThan(3);
  });

  it("lists each branch that stays, while native git packs refs, and makes and deletes branches", async () => {
    const { repository } = await setUp();
    const ids = [await repository.commit({ files: { a: "1" } }), await repository.commit({ files: { a: "2" } })];
    const kept = ["main", ...Array.from({ length: 200 }, (_, count) => `deep/${count % 20}/er/${count}`)];
    const moveAll = async (id = ""): Promise<void> => {
      const input = kept.map((name) => `update refs/heads/${name} ${id}\n`).join("");
      await repository.gitWithInput(input, "update-ref", "--stdin");
    };
    await moveAll(ids[0]);
    const engine = await open(repository.path);
    const rounds = countOfRun({ full: 20, short: 5 });
    let isChanging = true;
    const change = async (): Promise<void> => {
      for (let count = 0; count < rounds; count++) {
        await repository.git("branch", `deep/${count}/side`);
        await repository.git("branch", "-D", `deep/${count}/side`);
        await moveAll(ids[count % 2]);
        await repository.git("pack-refs", "--all", "--prune");
      }
      isChanging = false;
    };
    const changing = change();
    let reads = 0;
    while (isChanging) {
      const branches = await engine.listBranches();
      expect(kept.filter((name) => !branches.has(name))).toEqual([]);
      reads += 1;
    }
    await changing;
    expect(reads).toBeGreaterThan(rounds / 2);
  });

  it("opens a repository in which another process deletes its scratch file", async () => {
    const { repository } = await setUp();
    const id = await repository.commit({ files: { a: "1" } });
    // A name that is listed and leads nowhere, as one that is deleted between the two reads.
    await symlink(join(repository.path, "gone"), join(repository.path, "rollcall-tmp-0123456789abcdef"));
    expect(await (await open(repository.path)).fetchHead("main")).toBe(id);
  });

  it("opens and pushes while others do the same in one repository", async () => {
    const { repository } = await setUp();
    await repository.commit({ files: { a: "1" } });
    const push = async (writer: number): Promise<void> => {
      let parent: string | undefined;
      for (let count = 0; count < 12; count++) {
        const engine = await open(repository.path);
        expect(await engine.fetchHead(`writers/${writer}`)).toBe(parent);
        parent = await engine.commitAndPush(request(`writers/${writer}`, parent, { [`f${count}`]: `${count}` }));
      }
    };
    await Promise.all([0, 1, 2, 3].map(push));
    for (const writer of [0, 1, 2, 3]) expect(await repository.fileNames(`writers/${writer}`)).toHaveLength(12);
    await repository.assertSound();
  });
});
