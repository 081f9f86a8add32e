import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { buildScript } from "../../support/build-script.ts";
import { countOfRun } from "../../support/full-counts.ts";
import { packCounts, setUpHttp, statusRequest } from "./http-fixture.ts";

describe("requests of an http engine", () => {
  it.each([
    { isVersion2: true, first: 3 },
    { isVersion2: false, first: 2 },
  ])("are one per poll when nothing is new (protocol 2: $isVersion2)", async ({ isVersion2, first }) => {
    const { repository, server, open } = await setUpHttp({ isVersion2 });
    const count = async (work: () => Promise<unknown>): Promise<number> => {
      server.clearRequests();
      await work();
      return server.requests.length;
    };
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    expect(await count(() => engine.fetchHead("main"))).toBe(first);
    expect(await count(() => engine.fetchHead("main"))).toBe(1);
    await repository.commit({ files: { a: "2" } });
    expect(await count(() => engine.fetchHead("main"))).toBe(2);
    expect(await count(() => engine.fetchHead("main"))).toBe(1);
    const id = await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    expect(await count(() => engine.commitAndPush(statusRequest(id, { a: "2" })))).toBe(2);
    expect(await count(() => engine.fetchHead("status"))).toBe(1);
  });

  it("ask for nothing that a cache from before a restart has", async () => {
    const { repository, server, open } = await setUpHttp();
    const id = await repository.commit({ files: { a: "1" } });
    const before = await open();
    await before.fetchHead("main");
    await before.close();
    server.clearRequests();
    const after = await open();
    expect(await after.fetchHead("main")).toBe(id);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
    expect(await after.listFiles(id)).toHaveLength(1);
  });

  it("leave the folder to the next engine after one that could not be opened", async () => {
    const { packFolder, open } = await setUpHttp();
    await (await open()).close();
    const pack = join(packFolder, "pack-1.pack");
    await symlink("nowhere", pack);
    await writeFile(join(packFolder, "pack-1.idx"), "");
    await expect(open()).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
    await rm(pack);
    await expect(open()).resolves.toBeDefined();
  });

  it("F16 fetch after a force-push only what is new", async () => {
    const { packFolder, repository, open } = await setUpHttp();
    const ids: string[] = [];
    for (let count = 0; count < 40; count++)
      ids.push(await repository.commit({ files: { [`file-${count}`]: `${count}` } }));
    const engine = await open();
    await engine.fetchHead("main");
    const rewritten = await repository.commit({ files: { rewritten: "1" }, from: ids[20] ?? "" });
    // The server forgets the old history: it knows none of the newest commits that the cache has.
    await repository.git("gc", "-q", "--prune=now");
    await engine.fetchHead("main");
    // A commit, its tree and its file, and what the nearest known commit before the fork lacks.
    const [added = 0, cloned] = await packCounts(packFolder);
    expect(cloned).toBe(120);
    expect(added).toBeLessThan(50);
    expect(await engine.isAncestor(ids[20] ?? "", rewritten)).toBe(true);
    expect(await engine.isAncestor(ids[21] ?? "", rewritten)).toBe(false);
    expect(await engine.listFiles(rewritten)).toHaveLength(22);
  });
});

describe("the cache of an http engine", () => {
  it("F15 is emptied and fetched again when it turns out to be damaged", async () => {
    const { packFolder, repository, open } = await setUpHttp();
    await repository.commit({ files: { a: "content of the first pack" } });
    const first = await open();
    await first.fetchHead("main");
    const [firstPack = ""] = (await readdir(packFolder)).filter((name) => name.endsWith(".pack"));
    const id = await repository.commit({ files: { b: "content of the second pack" } });
    await first.fetchHead("main");
    await first.close();
    const engine = await open();
    const pack = await readFile(join(packFolder, firstPack));
    pack.writeUInt8(pack.readUInt8(pack.length - 30) ^ 0xff, pack.length - 30);
    await chmod(join(packFolder, firstPack), 0o600);
    await writeFile(join(packFolder, firstPack), pack);
    const blobId = (await repository.git("rev-parse", `${id}:a`)).trim();
    await expect(engine.readBlob(blobId)).rejects.toMatchObject({ code: "E_GIT_CORRUPT", recovery: "transient" });
    expect(await engine.fetchHead("main")).toBe(id);
    expect(Buffer.from(await engine.readBlob(blobId)).toString()).toBe("content of the first pack");
  });

  it.each([
    { what: "a pack that is cut off", damage: (folder: string, name: string) => writeFile(join(folder, name), "PACK") },
    { what: "a missing pack", damage: (folder: string, name: string) => rm(join(folder, name)) },
    {
      what: "a missing index",
      damage: (folder: string, name: string) => rm(join(folder, name.replace(/pack$/u, "idx"))),
    },
    { what: "a missing folder", damage: (folder: string) => rm(folder, { recursive: true }) },
    {
      what: "everything but the folder missing",
      damage: (folder: string) => rm(join(folder, "../.."), { recursive: true }),
    },
  ])("is made anew when it is opened with $what", async ({ damage }) => {
    const { packFolder, repository, open } = await setUpHttp();
    const id = await repository.commit({ files: { a: "1" } });
    const first = await open();
    await first.fetchHead("main");
    await first.close();
    const [name = ""] = (await readdir(packFolder)).filter((entry) => entry.endsWith(".pack"));
    await chmod(join(packFolder, name), 0o600);
    await damage(packFolder, name);
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(id);
    expect(await engine.listFiles(id)).toHaveLength(1);
  });

  it("survives its folder being deleted while it is in use", async () => {
    const { folder, repository, open } = await setUpHttp();
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    await rm(join(folder, "cache", "repository.git"), { recursive: true });
    const id = await repository.commit({ files: { a: "2" } });
    expect(await engine.fetchHead("main")).toBe(id);
    expect(await engine.listFiles(id)).toHaveLength(1);
  });

  it("fails no push that it cannot take, and is made anew by the next read", async () => {
    const { packFolder, repository, open } = await setUpHttp();
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    await rm(packFolder, { recursive: true });
    await writeFile(packFolder, "no folder");
    const id = await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    expect(await repository.head("status")).toBe(id);
    expect(await engine.fetchHead("status")).toBe(id);
    expect(await engine.listFiles(id)).toHaveLength(1);
  });

  it("belongs to one process, until that ends", async () => {
    const { folder, open } = await setUpHttp();
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
    await first.close();
    // What a killed process leaves: its number, which is another process's or unused by now.
    const stale = { pid: process.pid, startTicks: "1", bootId: "00000000-0000-0000-0000-000000000000" };
    await writeFile(join(folder, "cache", "lock"), `rollcall ${JSON.stringify(stale)}\n`);
    await expect(open()).resolves.toBeDefined();
  });

  it("is emptied when it is of another repository", async () => {
    const { repository, packFolder, server, open } = await setUpHttp();
    await repository.commit({ files: { a: "1" } });
    const first = await open();
    await first.fetchHead("main");
    await first.close();
    expect(await readdir(packFolder)).not.toEqual([]);
    await open({ url: server.urlOf("another.git") });
    expect(await readdir(packFolder)).toEqual([]);
  });

  it("is replaced by one pack when it has too many, and loses no branch by it", async () => {
    const { packFolder, repository, open } = await setUpHttp();
    await repository.commit({ branch: "other", files: { o: "1" } });
    await repository.commit({ files: { a: "0" } });
    const engine = await open({ maximumPacks: 4 });
    await engine.fetchHead("other");
    let status: string | undefined;
    for (let count = 1; count <= 4; count++) {
      await repository.commit({ files: { a: `${count}` } });
      await engine.fetchHead("main");
      status = await engine.commitAndPush(statusRequest(status, { count: `${count}` }));
    }
    expect((await packCounts(packFolder)).length).toBeGreaterThan(4);
    const head = await engine.fetchHead("main");
    expect(await packCounts(packFolder)).toHaveLength(1);
    expect(await engine.fetchHead("other")).toBe(await repository.head("other"));
    expect(await engine.fetchHead("status")).toBe(status);
    const history = await engine.listCommits({ to: head ?? "" });
    expect(history).toHaveLength(5);
    for (const { id } of history) expect(await engine.listFiles(id)).toHaveLength(1);
    expect(await engine.listCommits({ to: status ?? "" })).toHaveLength(4);
  });

  it("A107 is renewed, and read again, when its branches have more than one pack may have", async () => {
    const { packFolder, repository, open } = await setUpHttp();
    const main = await repository.commit({ files: { a: "1" } });
    const fill = (): Uint8Array => randomBytes(40_000);
    const branches = ["b", "c", "d"];
    for (const branch of branches)
      await repository.commit({ branch, from: main, files: { a: "1", [branch]: { content: fill() } } });
    const engine = await open({ maximumPacks: 3, maximumPackBytes: 60_000 });
    expect(await engine.fetchHead("main")).toBe(main);
    const heads = await Promise.all(branches.map((branch) => engine.fetchHead(branch)));
    expect(await packCounts(packFolder)).toHaveLength(4);
    expect(await engine.fetchHead("main")).toBe(main);
    for (const head of heads) expect(await engine.listFiles(head ?? "")).toHaveLength(2);
    for (const [index, branch] of branches.entries()) expect(await engine.fetchHead(branch)).toBe(heads[index]);
  });

  it("F25 is good for the next process when one is killed at any moment of a fetch", async () => {
    const { folder, repository, server, open } = await setUpHttp();
    const script = await buildScript("test/support/git-fetcher.ts", join(folder, "built"));
    const cacheDir = join(folder, "cache");
    let id = "";
    for (let round = 0; round < countOfRun({ full: 10, short: 4 }); round++) {
      const files = Object.fromEntries([...Array(200).keys()].map((n) => [`f${n}`, `${round} ${n} `.repeat(20)]));
      id = await repository.commit({ files });
      const args = [script, server.urlOf("fleet.git"), cacheDir];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(child, "exit");
      createInterface({ input: child.stdout }).once("line", () => {
        setTimeout(() => child.kill("SIGKILL"), Math.random() * 120);
      });
      await ended;
    }
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(id);
    const entries = await engine.listFiles(id);
    expect(entries).toHaveLength(200);
    for (const { blobId } of entries) await engine.readBlob(blobId);
    expect(await readdir(join(cacheDir, "repository.git"))).not.toContainEqual(expect.stringMatching(/^tmp-/u));
    await expect(repository.git("-C", join(cacheDir, "repository.git"), "fsck", "--full")).resolves.toBeDefined();
  });
});
