import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { CompactionRows, Persistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { Row } from "../../../../src/embedded-hub/store/row-format.ts";
import { encodeSnapshot, restoreSnapshot } from "../../../../src/embedded-hub/store/snapshot.ts";
import type { Store } from "../../../../src/embedded-hub/store/store.ts";

const bump = 1_000_000_000;
const keyOf = (name: string) => `//configmaps/default/${name}`;

function object(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}

/** A store with `b` (written again) and `c`; `a` was deleted. Its revision is 5. */
async function filledStore(): Promise<Store> {
  const store = await openStore({ persistence: noPersistence, log: silentLog });
  for (const name of ["a", "b", "c"]) await store.put(keyOf(name), object(name), 0);
  await store.put(keyOf("b"), object("b"), 2);
  await store.delete(keyOf("a"), 1);
  return store;
}

/** A persistence in memory that a store can be opened from afterwards. */
function rowsInMemory() {
  const rows: Row[] = [];
  const batches: number[] = [];
  const compactions: CompactionRows[] = [];
  const closedAt: (number | undefined)[] = [];
  const persistence: Persistence = {
    ...noPersistence,
    append: async (added) => {
      batches.push(added.length);
      rows.push(...added);
    },
    compact: async (compaction) => void compactions.push(compaction),
    close: async (revision) => void closedAt.push(revision),
    load: async () => ({
      compactedRevision: compactions.at(-1)?.revision ?? 0,
      rows: (async function* () {
        yield* rows;
      })(),
    }),
  };
  return { persistence, rows, batches, compactions, closedAt };
}

describe("a snapshot", () => {
  it("brings back every object with its revisions, and continues far behind", async () => {
    const before = await filledStore();
    const { persistence, compactions, closedAt } = rowsInMemory();
    await restoreSnapshot(persistence, encodeSnapshot(before));
    expect(compactions).toEqual([{ revision: 5 + bump, rowCount: 2, obsolete: [] }]);
    expect(closedAt).toEqual([5 + bump]);
    const after = await openStore({ persistence, log: silentLog });
    const facts = (store: Store) =>
      store
        .list("/")
        .items.map(({ key, object: one, createRevision, modRevision }) => [key, one, createRevision, modRevision]);
    expect(facts(after)).toEqual(facts(before));
    expect([after.revision, after.compactedRevision]).toEqual([5 + bump, 5 + bump]);
    expect(await after.put(keyOf("d"), object("d"), 0)).toMatchObject({ modRevision: 6 + bump });
  });

  it("writes its objects by rising revision, 1,000 together", async () => {
    const store = await openStore({ persistence: noPersistence, log: silentLog });
    const names = Array.from({ length: 2_500 }, (_, index) => `n${2_500 - index}`);
    await Promise.all(names.map((name) => store.put(keyOf(name), object(name), 0)));
    const { persistence, rows, batches } = rowsInMemory();
    await restoreSnapshot(persistence, encodeSnapshot(store));
    expect(batches).toEqual([1000, 1000, 500]);
    expect(rows.map(({ record }) => record.modRevision)).toEqual(names.map((_, index) => index + 1));
  });

  it("of an empty hub can be restored, too", async () => {
    const { persistence, batches, closedAt } = rowsInMemory();
    const store = await openStore({ persistence: noPersistence, log: silentLog });
    await restoreSnapshot(persistence, encodeSnapshot(store));
    expect([batches, closedAt]).toEqual([[], [bump]]);
  });

  const refusal = async (snapshot: Buffer) => {
    const { persistence, batches, compactions } = rowsInMemory();
    const failure: unknown = await restoreSnapshot(persistence, snapshot).catch((error: unknown) => error);
    expect([batches, compactions]).toEqual([[], []]);
    return failure;
  };

  it("is refused when it is cut off anywhere, before anything is written", async () => {
    const whole = encodeSnapshot(await filledStore());
    for (let length = 0; length < whole.length; length += 1) {
      expect(await refusal(whole.subarray(0, length))).toMatchObject({ code: "E_STORE_DAMAGED" });
    }
  });

  it.each([
    { reason: "more after its end", change: (whole: Buffer) => Buffer.concat([whole, Buffer.from("x")]) },
    { reason: "an object too many", change: (whole: Buffer) => (whole.writeUInt32BE(1, 28), whole) },
    { reason: "another beginning", change: (whole: Buffer) => (whole.write("R", 0), whole) },
    { reason: "a row that was changed", change: (whole: Buffer) => (whole.write("x", whole.length - 5), whole) },
  ])("is refused with $reason", async ({ change }) => {
    const changed = change(encodeSnapshot(await filledStore()));
    expect(await refusal(changed)).toMatchObject({ code: "E_STORE_DAMAGED" });
  });

  it("of a newer version is refused as such", async () => {
    const whole = encodeSnapshot(await filledStore());
    whole.write("rollcall-snapshot-2\n");
    expect(await refusal(whole)).toMatchObject({ code: "E_STORE_VERSION" });
  });
});
