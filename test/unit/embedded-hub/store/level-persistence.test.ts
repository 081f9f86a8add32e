import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import type { BatchOperation } from "classic-level";
import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Level } from "../../../../src/embedded-hub/store/level-persistence.ts";
import { makeClassicLevel, openLevelPersistence } from "../../../../src/embedded-hub/store/level-persistence.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import type { Store } from "../../../../src/embedded-hub/store/store.ts";

const folders: string[] = [];
const stores: Store[] = [];

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-store-"));
  folders.push(folder);
  return folder;
}

async function open(dir: string, owner = "a test"): Promise<Store> {
  const store = await openStore({ persistence: await openLevelPersistence({ dir, owner }), log: silentLog });
  stores.push(store);
  return store;
}

async function close(store: Store): Promise<void> {
  stores.splice(stores.indexOf(store), 1);
  await store.close();
}

function object(name: string, value = ""): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } };
}

const keyOf = (name: string) => `//configmaps/default/${name}`;

async function fill(store: Store): Promise<void> {
  for (const name of ["a", "b", "c"]) await store.put(keyOf(name), object(name), 0);
  await store.put(keyOf("a"), object("a", "2"), 1);
  await store.delete(keyOf("b"), 2);
}

describe("a store in a folder", () => {
  it("has after a restart what it had before: objects, revisions, history", async () => {
    const dir = await makeFolder();
    const before = await open(dir);
    await fill(before);
    const listed = before
      .list("/")
      .items.map(({ key, object: stored, createRevision }) => [key, stored, createRevision]);
    await close(before);
    const after = await open(dir);
    expect(
      after.list("/").items.map(({ key, object: stored, createRevision }) => [key, stored, createRevision]),
    ).toEqual(listed);
    expect(after.list("/", { atRevision: 3 }).items.map((item) => item.modRevision)).toEqual([1, 2, 3]);
    const events: string[] = [];
    after.watch("/", 2, ({ kind, revision, previous }) =>
      events.push(`${revision} ${kind} over ${previous?.modRevision ?? 0}`),
    );
    expect(events).toEqual(["3 put over 0", "4 put over 1", "5 delete over 2"]);
    expect(await after.put(keyOf("d"), object("d"), 0)).toMatchObject({ modRevision: 6 });
  });

  it("remembers what was compacted, and keeps what is current", async () => {
    const dir = await makeFolder();
    const before = await open(dir);
    await fill(before);
    await before.compact(4);
    await close(before);
    const after = await open(dir);
    expect([after.compactedRevision, after.revision]).toEqual([4, 5]);
    expect(after.list("/").items.map(({ key, modRevision }) => [key, modRevision])).toEqual([
      [keyOf("a"), 4],
      [keyOf("c"), 3],
    ]);
    expect(after.list("/", { atRevision: 4 }).items.map((item) => item.key)).toEqual([
      keyOf("a"),
      keyOf("b"),
      keyOf("c"),
    ]);
  });

  it("takes from disk the rows that no client can ask for any more", async () => {
    const dir = await makeFolder();
    const store = await open(dir);
    await fill(store);
    await store.compact(5);
    await close(store);
    const rows = await rowKeys(dir);
    expect(rows.map((key) => Number.parseInt(key.slice(1), 16))).toEqual([3, 4]);
  });

  it("has every acknowledged write after the power failed: what was not synced is lost", async () => {
    const dir = await makeFolder();
    const disk = volatileDisk();
    const persistence = await openLevelPersistence({ dir, owner: "a test", makeLevel: disk.makeLevel });
    const before = await openStore({ persistence, log: silentLog });
    await fill(before);
    await before.put(keyOf("d"), object("d"), 0);
    await before.compact(2);
    const listed = before.list("/").items.map(({ object: stored }) => stored);
    // Nothing is closed in order: the last words of the store are lost with the rest.
    await disk.loseUnsynced();
    const after = await open(dir);
    expect(after.list("/").items.map(({ object: stored }) => stored)).toEqual(listed);
    expect([after.revision, after.compactedRevision]).toEqual([6, 2]);
  });

  it("belongs to one process, and names which", async () => {
    const dir = await makeFolder();
    await open(dir, "the first one");
    await expect(open(dir)).rejects.toMatchObject({
      code: "E_DIR_LOCKED",
      message: expect.stringContaining("the first one") as string,
    });
  });

  it("reports that it is damaged when a row is not what was written", async () => {
    const dir = await makeFolder();
    const store = await open(dir);
    await fill(store);
    await close(store);
    await changeRow(dir, "r00000000000003", (row) => {
      row[row.length - 3] = (row.at(-3) ?? 0) ^ 1;
      return row;
    });
    await expect(open(dir)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
  });

  it.each([
    { lost: "r00000000000003", reason: "of the history" },
    { lost: "r00000000000001", reason: "of an object older than the history" },
    { lost: "r00000000000005", reason: "of the end" },
  ])("reports that it is damaged when a row $reason is missing", async ({ lost }) => {
    const dir = await makeFolder();
    const store = await open(dir);
    await store.put(keyOf("a"), object("a"), 0);
    await store.compact(1);
    for (const name of ["b", "c", "d", "e"]) await store.put(keyOf(name), object(name), 0);
    await close(store);
    await changeRow(dir, lost, () => undefined);
    await expect(open(dir)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
  });

  it("reports that it is damaged when the database cannot be read", async () => {
    const dir = await makeFolder();
    const store = await open(dir);
    await fill(store);
    await close(store);
    for (const name of await readdir(join(dir, "log"))) {
      if (name.startsWith("MANIFEST")) await writeFile(join(dir, "log", name), "not a manifest");
    }
    await expect(open(dir)).rejects.toMatchObject({ code: "E_STORE_DAMAGED", cause: { code: "LEVEL_CORRUPTION" } });
  });

  it("can be read by its owner alone", async () => {
    const dir = join(await makeFolder(), "store");
    await open(dir);
    expect(await readFile(join(dir, "owner"), "utf8")).toBe("a test\n");
    const { mode } = await import("node:fs/promises").then(({ stat }) => stat(dir));
    expect(mode & 0o077).toBe(0);
  });
});

async function rowKeys(dir: string): Promise<string[]> {
  const level = new ClassicLevel<string, Buffer>(join(dir, "log"), { valueEncoding: "buffer" });
  const keys = await level.keys({ gt: "r", lt: "r~" }).all();
  await level.close();
  return keys;
}

/** Changes a row behind the store's back; undefined deletes it. */
async function changeRow(dir: string, key: string, change: (row: Buffer) => Buffer | undefined): Promise<void> {
  const level = new ClassicLevel<string, Buffer>(join(dir, "log"), { valueEncoding: "buffer" });
  const row = await level.get(key);
  if (row === undefined) throw new Error(`no row ${key}`);
  const changed = change(row);
  await (changed === undefined ? level.del(key) : level.put(key, changed));
  await level.close();
}

/** LevelDB that keeps unsynced batches in memory, as the system does, until a synced one comes. */
function volatileDisk(): { readonly makeLevel: (folder: string) => Level; readonly loseUnsynced: () => Promise<void> } {
  let opened: Level | undefined;
  return {
    makeLevel: (folder) => {
      const level = makeClassicLevel(folder);
      const unsynced: BatchOperation<Level, string, Buffer>[] = [];
      opened = level;
      const batch = async (operations: typeof unsynced, options?: { readonly sync?: boolean }): Promise<void> => {
        unsynced.push(...operations);
        if (options?.sync === true) await level.batch(unsynced.splice(0), { sync: true });
      };
      return new Proxy(level, {
        get: (target, name) => {
          if (name === "batch") return batch;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
    },
    loseUnsynced: async () => opened?.close(),
  };
}
