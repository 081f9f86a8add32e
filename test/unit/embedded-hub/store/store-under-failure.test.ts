import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { CompactionRows, Persistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { Row } from "../../../../src/embedded-hub/store/row-format.ts";
import { makeRecord } from "../../../../src/embedded-hub/store/stored-record.ts";
import { until } from "../../../support/until.ts";

const keyOf = (name: string) => `//configmaps/default/${name}`;

function object(name: string, value = ""): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } };
}

/** A disk whose next writes wait until they are let through, or fail. */
function steeredDisk() {
  const appended: string[][] = [];
  const compactions: CompactionRows[] = [];
  const closedAt: (number | undefined)[] = [];
  const waiting: { pass: () => void; fail: () => void }[] = [];
  const gate = (): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ pass: resolve, fail: () => reject(new Error("disk full")) });
    });
  const persistence: Persistence = {
    ...noPersistence,
    append: async (rows) => {
      appended.push(rows.map(({ kind, record }) => `${record.modRevision} ${kind} ${record.key.split("/").at(-1)}`));
      await gate();
    },
    compact: async (rows) => {
      compactions.push(rows);
      await gate();
    },
    close: async (revision) => void closedAt.push(revision),
  };
  const next = async () => {
    await until(
      async () => waiting.length,
      (count) => count > 0,
    );
    return waiting.shift();
  };
  return {
    persistence,
    appended,
    compactions,
    closedAt,
    pass: async () => (await next())?.pass(),
    fail: async () => (await next())?.fail(),
  };
}

describe("writes that are under way", () => {
  it("build on each other, in the order in which they were made", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    const key = keyOf("a");
    const writes = [
      store.put(key, object("a", "1"), 0),
      store.put(key, object("a", "2"), 1),
      store.delete(key, 2),
      store.put(key, object("a", "4"), 0),
    ];
    expect(await store.put(key, object("a"), 1)).toBeUndefined();
    expect(await store.delete(key, 3)).toBeUndefined();
    expect(store.getForWrite(key)).toMatchObject({ modRevision: 4, createRevision: 4 });
    await disk.pass();
    expect(await writes[0]).toMatchObject({ modRevision: 1 });
    expect([store.get(key)?.modRevision, store.getForWrite(key)?.modRevision]).toEqual([1, 4]);
    await disk.pass();
    const results = await Promise.all(writes);
    expect(results.map((record) => [record?.createRevision, record?.modRevision])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [4, 4],
    ]);
    expect(disk.appended).toEqual([["1 put a"], ["2 put a", "3 delete a", "4 put a"]]);
    expect([store.get(key)?.modRevision, store.getForWrite(key)?.modRevision]).toEqual([4, 4]);
  });

  it("that delete hide the object from other writes, and from readers once they are durable", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    const created = store.put(keyOf("a"), object("a"), 0);
    await disk.pass();
    await created;
    const deleted = store.delete(keyOf("a"), 1);
    expect([store.getForWrite(keyOf("a")), store.get(keyOf("a"))?.modRevision]).toEqual([undefined, 1]);
    await disk.pass();
    await deleted;
    expect(store.get(keyOf("a"))).toBeUndefined();
  });

  it("are waited for by whenDurable, which fails with them", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    await store.whenDurable(keyOf("a"));
    const written = store.put(keyOf("a"), object("a"), 0);
    let isDurable = false;
    const durable = store.whenDurable(keyOf("a")).then(() => (isDurable = true));
    await store.whenDurable(keyOf("b"));
    expect(isDurable).toBe(false);
    await disk.pass();
    await Promise.all([written, durable]);
    const failing = store.put(keyOf("a"), object("a"), 1);
    const waiting = store.whenDurable(keyOf("a"));
    await disk.fail();
    for (const one of [failing, waiting]) await expect(one).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    await store.close();
  });

  it("are sent to watchers once they are durable, with what they replace", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    const seen: string[] = [];
    store.watch("/", 0, ({ kind, revision, previous }) => seen.push(`${revision} ${kind} ${previous?.modRevision}`));
    const writes = [store.put(keyOf("a"), object("a"), 0), store.put(keyOf("a"), object("a"), 1)];
    await disk.pass();
    await writes[0];
    expect(seen).toEqual(["1 put undefined"]);
    await disk.pass();
    await Promise.all(writes);
    expect(seen).toEqual(["1 put undefined", "2 put 1"]);
  });

  it("are finished by a close, after which there are no others", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    const writes = [store.put(keyOf("a"), object("a"), 0), store.put(keyOf("b"), object("b"), 0)];
    const closed = store.close();
    await expect(store.put(keyOf("c"), object("c"), 0)).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
    expect(disk.closedAt).toEqual([]);
    await disk.pass();
    await disk.pass();
    await closed;
    expect((await Promise.all(writes)).map((record) => record?.modRevision)).toEqual([1, 2]);
    expect(disk.closedAt).toEqual([2]);
  });
});

describe("a write that fails", () => {
  it("takes those that wait behind it along, and none of them is seen", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    const seen: number[] = [];
    store.watch("/", 0, ({ revision }) => seen.push(revision));
    const first = store.put(keyOf("a"), object("a"), 0);
    const second = store.put(keyOf("b"), object("b"), 0);
    const compaction = store.compact(1);
    await disk.fail();
    for (const one of [first, second, compaction]) await expect(one).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    expect([store.list("/").items, seen, disk.appended, disk.compactions]).toEqual([[], [], [["1 put a"]], []]);
    expect(store.isBroken).toBe(true);
    await store.close();
    expect(disk.closedAt).toEqual([undefined]);
  });
});

describe("a compaction", () => {
  it("names the rows that no client can ask for any more, and how many older ones stay", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    const done = async <T>(write: Promise<T>): Promise<T> => {
      await disk.pass();
      return write;
    };
    await done(store.put(keyOf("a"), object("a"), 0));
    await done(store.put(keyOf("a"), object("a"), 1));
    await done(store.put(keyOf("b"), object("b"), 0));
    await done(store.delete(keyOf("b"), 3));
    await done(store.put(keyOf("c"), object("c"), 0));
    await done(store.compact(3));
    await done(store.compact(99));
    expect(disk.compactions).toEqual([
      { revision: 3, rowCount: 2, obsolete: [1] },
      { revision: 5, rowCount: 2, obsolete: [3, 4] },
    ]);
    expect([store.revision, store.compactedRevision]).toEqual([5, 5]);
  });

  it("waits for the write under way, and runs before those that wait", async () => {
    const disk = steeredDisk();
    const store = await openStore({ persistence: disk.persistence, log: silentLog });
    const writes = [store.put(keyOf("a"), object("a"), 0), store.put(keyOf("b"), object("b"), 0)];
    const compaction = store.compact(1);
    expect(disk.compactions).toEqual([]);
    await disk.pass();
    await disk.pass();
    await compaction;
    expect([store.compactedRevision, store.revision]).toEqual([1, 1]);
    await disk.pass();
    await Promise.all(writes);
    expect(store.revision).toBe(2);
  });
});

describe("openStore", () => {
  const row = (kind: "put" | "delete", name: string, mod: number, create = mod): Row => ({
    kind,
    record: makeRecord(keyOf(name), object(name), { create, mod }),
  });
  const diskOf = (compactedRevision: number, ...rows: Row[]) => {
    const closedAt: (number | undefined)[] = [];
    const persistence: Persistence = {
      ...noPersistence,
      load: async () => ({
        compactedRevision,
        rows: (async function* () {
          yield* rows;
        })(),
      }),
      close: async (revision) => void closedAt.push(revision),
    };
    return { persistence, closedAt };
  };

  it("continues after the last row, history and all", async () => {
    const rows = [row("put", "a", 1), row("put", "b", 3), row("put", "a", 4, 1), row("delete", "b", 5, 3)];
    const store = await openStore({ ...diskOf(3, ...rows), log: silentLog });
    expect([store.compactedRevision, store.revision]).toEqual([3, 5]);
    const events: string[] = [];
    store.watch("/", 3, ({ kind, revision, previous }) => events.push(`${revision} ${kind} ${previous?.modRevision}`));
    expect(events).toEqual(["4 put 1", "5 delete 3"]);
    expect(await store.put(keyOf("b"), object("b"), 0)).toMatchObject({ createRevision: 6, modRevision: 6 });
  });

  it("has the objects of a store whose whole history is compacted", async () => {
    const store = await openStore({ ...diskOf(7, row("put", "a", 1), row("put", "b", 7)), log: silentLog });
    expect([store.revision, store.list("/").items.length]).toEqual([7, 2]);
    expect(await store.put(keyOf("c"), object("c"), 0)).toMatchObject({ modRevision: 8 });
  });

  it.each([
    { reason: "a gap in its history", rows: [row("put", "a", 1), row("put", "b", 3)] },
    { reason: "a history that begins late", rows: [row("put", "a", 2)] },
    { reason: "a delete of what was not there", rows: [row("put", "a", 1), row("delete", "b", 2)] },
  ])("refuses a store with $reason, and lets go of its files", async ({ rows }) => {
    const { persistence, closedAt } = diskOf(0, ...rows);
    await expect(openStore({ persistence, log: silentLog })).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    expect(closedAt).toEqual([undefined]);
  });
});
