import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { startCompaction } from "../../../../src/embedded-hub/store/compaction.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { Store } from "../../../../src/embedded-hub/store/store.ts";
import { collectLines } from "../../../support/collect-lines.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

async function write(store: Store, ...names: string[]): Promise<void> {
  for (const name of names) {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    await store.put(`//configmaps/default/${name}`, object, 0);
  }
}

async function world(options: object = {}, compact?: Store["compact"]) {
  const store = await openStore({ persistence: noPersistence, log: silentLog });
  const clock = createManualClock();
  const watched: Store = compact === undefined ? store : Object.assign(Object.create(store) as Store, { compact });
  const stop = startCompaction({ store: watched, clock, log: silentLog, keepMs: 3_000, periodMs: 1_000, ...options });
  return { store, clock, stop };
}

describe("startCompaction", () => {
  it("keeps what is younger than its retention period, by the moment at which it compacts", async () => {
    const { store, clock, stop } = await world();
    const compacted: number[] = [];
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      await write(store, name);
      await clock.advance(1_000);
      compacted.push(store.compactedRevision);
    }
    expect(compacted).toEqual([0, 0, 0, 1, 2, 3]);
    await stop();
  });

  it("compacts once in a period, and no earlier", async () => {
    const { store, clock, stop } = await world({ maximumEvents: 1 });
    await write(store, "a", "b", "c");
    await clock.advance(999);
    expect(store.compactedRevision).toBe(0);
    await clock.advance(1);
    expect(store.compactedRevision).toBe(2);
    await stop();
  });

  it("keeps all events up to the most, and all texts up to their length", async () => {
    const { store, clock, stop } = await world({ keepMs: 1e9, maximumEvents: 3 });
    await write(store, "a", "b", "c");
    await clock.advance(1_000);
    expect(store.compactedRevision).toBe(0);
    await write(store, "d");
    await clock.advance(1_000);
    expect(store.compactedRevision).toBe(1);
    await stop();
    const second = await openStore({ persistence: noPersistence, log: silentLog });
    await write(second, "a", "b");
    const exact = startCompaction({
      store: second,
      clock,
      log: silentLog,
      periodMs: 1_000,
      maximumBytes: second.historyBytes,
    });
    await clock.advance(1_000);
    expect(second.compactedRevision).toBe(0);
    await write(second, "c");
    await clock.advance(1_000);
    expect(second.compactedRevision).toBe(3);
    await exact();
  });

  it("has nothing to do in a store that no client writes", async () => {
    const asked: number[] = [];
    const { clock, stop } = await world({ keepMs: 0 }, async (revision) => void asked.push(revision));
    await clock.advance(5_000);
    expect(asked).toEqual([]);
    await stop();
  });

  it("continues after the disk was full", async () => {
    let isFull = true;
    const compacted: number[] = [];
    const { store, clock, stop } = await world({ maximumEvents: 0 }, async (revision) => {
      if (isFull) throw new Error("disk full");
      compacted.push(revision);
      await store.compact(revision);
    });
    await write(store, "a");
    await clock.advance(2_000);
    isFull = false;
    await write(store, "b");
    await clock.advance(1_000);
    expect(compacted).toEqual([2]);
    await stop();
  });

  it("reports when it could not compact, and nothing when it is stopped", async () => {
    const { log, lines } = collectLines();
    const failing = await world({ log, maximumEvents: 0 }, () => Promise.reject(new Error("disk full")));
    await write(failing.store, "a");
    await failing.clock.advance(1_000);
    await failing.stop();
    expect(lines.join("")).toContain("the hub's history could not be compacted");
    const count = lines.length;
    const stopped = await world({ log });
    await stopped.stop();
    expect(lines).toHaveLength(count);
  });
});
