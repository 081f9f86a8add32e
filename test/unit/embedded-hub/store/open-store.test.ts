import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeError } from "../../../../src/core/errors.ts";
import { silentLog } from "../../../../src/core/log.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../../src/model/kubernetes.ts";
import { largestObjectBytes, openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import type { Persistence } from "../../../../src/embedded-hub/store/persistence.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { Store, StoreEvent } from "../../../../src/embedded-hub/store/store.ts";
import { until } from "../../../support/until.ts";

const memoryStore = () => openStore({ persistence: noPersistence, log: silentLog });

function object(name: string, value = ""): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } };
}

const keyOf = (name: string, namespace = "default") => `//configmaps/${namespace}/${name}`;

function namesOf(list: { readonly items: readonly { readonly object: KubeObject }[] }): string[] {
  return list.items.map((item) => item.object.metadata.name);
}

describe("put and delete", () => {
  it("give every write the next revision, in the object and its text too", async () => {
    const store = await memoryStore();
    const first = await store.put(keyOf("a"), object("a"), 0);
    const second = await store.put(keyOf("b"), object("b"), 0);
    expect([first?.modRevision, second?.modRevision, store.revision]).toEqual([1, 2, 2]);
    expect(second?.object.metadata.resourceVersion).toBe("2");
    expect(JSON.parse(Buffer.from(second?.json ?? []).toString())).toEqual(second?.object);
  });

  it("refuse when the object is not the one expected, and take no revision for it", async () => {
    const store = await memoryStore();
    await store.put(keyOf("a"), object("a"), 0);
    expect(await store.put(keyOf("a"), object("a"), 0)).toBeUndefined();
    expect(await store.put(keyOf("b"), object("b"), 1)).toBeUndefined();
    expect(await store.delete(keyOf("a"), 7)).toBeUndefined();
    expect(await store.delete(keyOf("b"), 0)).toBeUndefined();
    expect(store.revision).toBe(1);
  });

  it("A102 refuse an object that is larger than what clients read of a watch, and take no revision for it", async () => {
    const store = await memoryStore();
    const text = "x".repeat(largestObjectBytes - 200);
    await store.put(keyOf("a"), object("a", text), 0);
    const longer = object("a", `${text}${"x".repeat(200)}`);
    const answer = await store.put(keyOf("a"), longer, 1).then(() => "stored", describeError);
    expect(answer).toContain("the object has more than 4000000 bytes");
    expect(store.getForWrite(keyOf("a"))?.modRevision).toBe(1);
    expect(await store.put(keyOf("b"), object("b"), 0)).toMatchObject({ modRevision: 2 });
  });

  it("A184 forget the managed fields of an object that is too large for etcd with them, and keep the object", async () => {
    const store = await memoryStore();
    const managedFields = (count: number): ManagedFieldsEntry[] => {
      const names = Array.from({ length: count }, (_, index) => [`f:${index}-${"x".repeat(90)}`, {}] as const);
      const entry = { manager: "agent", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" } as const;
      return [{ ...entry, fieldsV1: { "f:data": Object.fromEntries(names) } }];
    };
    const managed = (name: string, count: number): KubeObject => {
      const plain = object(name, "content");
      return { ...plain, metadata: { ...plain.metadata, managedFields: managedFields(count) } };
    };
    const small = await store.put(keyOf("a"), managed("a", 10_000), 0);
    expect(small?.object.metadata.managedFields?.length).toBe(1);
    for (const [revision, update] of [managed("a", 16_000), managed("a", 30_000)].entries()) {
      const large = await store.put(keyOf("a"), update, revision + 1);
      expect(large?.object).toMatchObject({ data: { value: "content" } });
      expect(large?.json.length).toBeLessThan(1000);
      expect(large?.object.metadata).not.toHaveProperty("managedFields");
    }
  });

  it("keep the revision of creation over updates, and begin anew after a delete", async () => {
    const store = await memoryStore();
    await store.put(keyOf("a"), object("a"), 0);
    const updated = await store.put(keyOf("a"), object("a", "2"), 1);
    expect(updated).toMatchObject({ createRevision: 1, modRevision: 2 });
    const deleted = await store.delete(keyOf("a"), 2);
    expect(deleted?.object.metadata.resourceVersion).toBe("3");
    expect(await store.put(keyOf("a"), object("a"), 0)).toMatchObject({ createRevision: 4 });
  });

  it("freeze what they store, so that no reader can change it", async () => {
    const store = await memoryStore();
    const stored = await store.put(keyOf("a"), object("a"), 0);
    expect(Object.isFrozen(stored?.object["data"])).toBe(true);
  });

  it("show a write to other writes at once, to readers only when it is durable", async () => {
    const { persistence, finish } = slowPersistence();
    const store = await openStore({ persistence, log: silentLog });
    const written = store.put(keyOf("a"), object("a"), 0);
    expect(store.getForWrite(keyOf("a"))?.modRevision).toBe(1);
    expect(await store.put(keyOf("a"), object("a"), 0)).toBeUndefined();
    expect([store.get(keyOf("a")), store.revision]).toEqual([undefined, 0]);
    finish();
    await written;
    expect([store.get(keyOf("a"))?.modRevision, store.revision]).toEqual([1, 1]);
  });

  it("share one trip to the disk between all that arrive while one is under way", async () => {
    const { persistence, finish, batches } = slowPersistence();
    const store = await openStore({ persistence, log: silentLog });
    const writes = ["a", "b", "c", "d"].map((name) => store.put(keyOf(name), object(name), 0));
    finish();
    await Promise.all(writes);
    expect(batches).toEqual([1, 3]);
  });

  it("fail all after a write failed: it is unknown what is on disk", async () => {
    const persistence: Persistence = { ...noPersistence, append: () => Promise.reject(new Error("disk full")) };
    const store = await openStore({ persistence, log: silentLog });
    const writes = [store.put(keyOf("a"), object("a"), 0), store.put(keyOf("b"), object("b"), 0)];
    const refused = { code: "E_STORE_DAMAGED", remedy: expect.stringContaining("Free space on the disk") as string };
    for (const write of writes) await expect(write).rejects.toMatchObject(refused);
    await expect(store.put(keyOf("c"), object("c"), 0)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    await expect(store.compact(1)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    expect(store.revision).toBe(0);
    await store.close();
  });

  it("F30 go on when the disk takes them again, and what was refused is taken back", async () => {
    const disk = { isFull: false, tries: 0, recoveredTo: [] as number[], compacted: [] as number[] };
    const whenRoom = (): Promise<void> => (disk.isFull ? Promise.reject(new Error("disk full")) : Promise.resolve());
    const persistence: Persistence = {
      ...noPersistence,
      append: whenRoom,
      compact: async ({ revision }) => {
        await whenRoom();
        disk.compacted.push(revision);
      },
      recover: async (revision) => {
        disk.tries += 1;
        await whenRoom();
        disk.recoveredTo.push(revision);
      },
    };
    const store = await openStore({ persistence, log: silentLog });
    await store.put(keyOf("a"), object("a"), 0);
    disk.isFull = true;
    await expect(store.compact(1)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    await expect(store.put(keyOf("b"), object("b"), 0)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    await until(
      async () => disk.tries,
      (tries) => tries > 0,
    );
    expect([store.isBroken, disk.recoveredTo, disk.compacted]).toEqual([true, [], []]);
    disk.isFull = false;
    await until(
      async () => store.isBroken,
      (isBroken) => !isBroken,
    );
    expect([disk.recoveredTo, disk.compacted]).toEqual([[1], [1]]);
    expect(store.getForWrite(keyOf("b"))).toBeUndefined();
    expect((await store.put(keyOf("b"), object("b"), 0))?.modRevision).toBe(2);
    await store.close();
  });
});

describe("list", () => {
  it("sorts by key and keeps to the prefix", async () => {
    const store = await memoryStore();
    await store.put(keyOf("b", "one-more"), object("b"), 0);
    await store.put(keyOf("a", "one"), object("a"), 0);
    await store.put("//secrets/one/s", object("s"), 0);
    expect(namesOf(store.list("//configmaps/"))).toEqual(["b", "a"]);
    expect(namesOf(store.list("//configmaps/one/"))).toEqual(["a"]);
    expect(namesOf(store.list("/"))).toEqual(["b", "a", "s"]);
  });

  it("continues after a key, with the number that remain", async () => {
    const store = await memoryStore();
    for (const name of ["a", "b", "c", "d", "e"]) await store.put(keyOf(name), object(name), 0);
    const first = store.list("//configmaps/", { limit: 2 });
    expect([namesOf(first), first.remainingCount, first.continueAfter]).toEqual([["a", "b"], 3, keyOf("b")]);
    const last = store.list("//configmaps/", { limit: 3, continueAfter: keyOf("b") });
    expect([namesOf(last), last.remainingCount, last.continueAfter]).toEqual([["c", "d", "e"], 0, undefined]);
  });

  it("shows the past as it was, page by page, while the present changes", async () => {
    const store = await memoryStore();
    for (const name of ["a", "b", "c"]) await store.put(keyOf(name), object(name, "old"), 0);
    const { revision } = store;
    await store.delete(keyOf("b"), 2);
    await store.put(keyOf("a"), object("a", "new"), 1);
    await store.put(keyOf("aa"), object("aa"), 0);
    const page = store.list("//configmaps/", { atRevision: revision, limit: 2 });
    expect(page.items.map((item) => item.object["data"])).toEqual([{ value: "old" }, { value: "old" }]);
    expect(namesOf(store.list("//configmaps/", { atRevision: revision, continueAfter: keyOf("b") }))).toEqual(["c"]);
  });

  it("cannot show what was compacted", async () => {
    const store = await memoryStore();
    for (const name of ["a", "b", "c"]) await store.put(keyOf(name), object(name), 0);
    await store.compact(2);
    expect(namesOf(store.list("//configmaps/", { atRevision: 2 }))).toEqual(["a", "b"]);
    expect(() => store.list("//configmaps/", { atRevision: 1 })).toThrow(
      expect.objectContaining({ code: "E_KUBE_GONE" }),
    );
  });
});

describe("watch", () => {
  it("sends the past, then the present, each event once and in order", async () => {
    const store = await memoryStore();
    await store.put(keyOf("a"), object("a"), 0);
    await store.put(keyOf("a"), object("a", "2"), 1);
    const seen: string[] = [];
    const stop = store.watch("//configmaps/", 1, (event) => seen.push(describeEvent(event)));
    await store.delete(keyOf("a"), 2);
    await store.put("//secrets/default/s", object("s"), 0);
    await store.put(keyOf("b"), object("b"), 0);
    stop();
    await store.put(keyOf("c"), object("c"), 0);
    expect(seen).toEqual(["2 put a over 1", "3 delete a over 2", "5 put b"]);
  });

  it("of one key is sent no event of another whose name begins like it", async () => {
    const store = await memoryStore();
    const seen: string[] = [];
    store.watch(keyOf("a"), 0, (event) => seen.push(describeEvent(event)));
    for (const name of ["a", "ab"]) await store.put(keyOf(name), object(name), 0);
    store.watch(keyOf("a"), 0, (event) => seen.push(describeEvent(event)));
    expect(seen).toEqual(["1 put a", "1 put a"]);
    expect(namesOf(store.list(keyOf("a")))).toEqual(["a"]);
  });

  it("continues for the others when one watcher throws", async () => {
    const store = await memoryStore();
    const seen: number[] = [];
    store.watch("/", 0, () => {
      throw new Error("this one is broken");
    });
    store.watch("/", 0, (event) => seen.push(event.revision));
    await store.put(keyOf("a"), object("a"), 0);
    expect(seen).toEqual([1]);
  });

  it("cannot begin before what was compacted", async () => {
    const store = await memoryStore();
    for (const name of ["a", "b"]) await store.put(keyOf(name), object(name), 0);
    await store.compact(1);
    expect(() => store.watch("/", 0, () => undefined)).toThrow(expect.objectContaining({ code: "E_KUBE_GONE" }));
    const seen: number[] = [];
    store.watch("/", 1, (event) => seen.push(event.revision));
    expect(seen).toEqual([2]);
  });
});

describe("any sequence of writes", () => {
  it("gives the same lists at every revision, and the same events, as a simple model", async () => {
    const step = fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      namespace: fc.constantFrom("x", "y"),
      isDelete: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = await memoryStore();
        const states = [new Map<string, number>()];
        for (const { name, namespace, isDelete } of steps) {
          const key = keyOf(name, namespace);
          const state = new Map(states.at(-1));
          const expected = state.get(key) ?? 0;
          if (isDelete && expected === 0) continue;
          if (isDelete) state.delete(key);
          else state.set(key, states.length);
          await (isDelete ? store.delete(key, expected) : store.put(key, object(name), expected));
          states.push(state);
        }
        for (const [revision, state] of states.entries()) {
          expect(listed(store, revision)).toEqual([...state].sort());
          expect(listedInPages(store, revision)).toEqual([...state].sort());
          expect(replayed(store, revision)).toEqual([...(states.at(-1) ?? [])].sort());
          expectHistoryOfEachKey(store, revision);
        }
        const middle = states.length >> 1;
        await store.compact(middle);
        for (const [revision, state] of states.entries()) {
          if (revision < middle) continue;
          expect(listed(store, revision)).toEqual([...state].sort());
          expectHistoryOfEachKey(store, revision);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function listed(store: Store, atRevision: number): [string, number][] {
  return store.list("//configmaps/", { atRevision }).items.map((item) => [item.key, item.modRevision]);
}

function listedInPages(store: Store, atRevision: number): [string, number][] {
  const all: [string, number][] = [];
  let continueAfter: string | undefined;
  do {
    const from = continueAfter === undefined ? {} : { continueAfter };
    const page = store.list("//configmaps/", { atRevision, limit: 2, countsRemaining: false, ...from });
    all.push(...page.items.map((item): [string, number] => [item.key, item.modRevision]));
    ({ continueAfter } = page);
  } while (continueAfter !== undefined);
  return all;
}

/** What a watch of one key receives, at once and in slices of one, is what a watch of everything receives of it. */
function expectHistoryOfEachKey(store: Store, afterRevision: number): void {
  const told = new Map<string, string[]>();
  store.replay("/", { afterRevision, limit: Infinity }, (event) => {
    told.set(event.current.key, [...(told.get(event.current.key) ?? []), describeEvent(event)]);
  });
  for (const key of ["a", "b", "c", "d"].flatMap((name) => [keyOf(name, "x"), keyOf(name, "y")])) {
    const seen: string[] = [];
    let reached = afterRevision;
    while (reached < store.revision) {
      reached = store.replay(key, { afterRevision: reached, limit: 1 }, (event) => seen.push(describeEvent(event)));
    }
    expect(seen).toEqual(told.get(key) ?? []);
  }
}

/** The present, made from a list of the past and the events since. */
function replayed(store: Store, atRevision: number): [string, number][] {
  const state = new Map(listed(store, atRevision));
  store.watch("//configmaps/", atRevision, ({ kind, current }) => {
    if (kind === "delete") state.delete(current.key);
    else state.set(current.key, current.modRevision);
  })();
  return [...state].sort();
}

function describeEvent({ revision, kind, current, previous }: StoreEvent): string {
  const over = previous === undefined ? "" : ` over ${previous.modRevision}`;
  return `${revision} ${kind} ${current.object.metadata.name}${over}`;
}

/** A disk that answers when the test lets it, and from then on at once. */
function slowPersistence(): { persistence: Persistence; finish: () => void; batches: number[] } {
  const batches: number[] = [];
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const persistence: Persistence = {
    ...noPersistence,
    append: (rows) => {
      batches.push(rows.length);
      return finished;
    },
  };
  return { persistence, finish: () => finish(), batches };
}
