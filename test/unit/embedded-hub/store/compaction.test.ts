import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { startCompaction } from "../../../../src/embedded-hub/store/compaction.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { CompactionRows } from "../../../../src/embedded-hub/store/persistence.ts";
import type { Store } from "../../../../src/embedded-hub/store/store.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const minuteMs = 60_000;

async function write(store: Store, name: string): Promise<void> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  await store.put(`//configmaps/default/${name}`, object, 0);
}

describe("startCompaction", () => {
  it("keeps five minutes of history and forgets what is older", async () => {
    const store = await openStore({ persistence: noPersistence, log: silentLog });
    const clock = createManualClock();
    await write(store, "a");
    const stop = startCompaction({ store, clock, log: silentLog });
    await clock.advance(minuteMs);
    await write(store, "b");
    await clock.advance(3 * minuteMs);
    expect(store.compactedRevision).toBe(0);
    await clock.advance(minuteMs);
    expect(store.compactedRevision).toBe(1);
    await clock.advance(10 * minuteMs);
    expect(store.compactedRevision).toBe(2);
    await stop();
    expect(clock.sleepers).toBe(0);
  });

  it("forgets earlier when there is too much of it", async () => {
    const store = await openStore({ persistence: noPersistence, log: silentLog });
    const clock = createManualClock();
    const stop = startCompaction({ store, clock, log: silentLog, maximumEvents: 2 });
    for (const name of ["a", "b", "c", "d", "e"]) await write(store, name);
    await clock.advance(minuteMs);
    expect(store.compactedRevision).toBe(3);
    await stop();
  });

  it("keeps five minutes of 1,000 writes a second, and forgets a minute of them in steps that let writes in", async () => {
    const steps: number[] = [];
    const persistence = {
      ...noPersistence,
      compact: ({ obsolete }: CompactionRows) => {
        steps.push(obsolete.length);
        return Promise.resolve();
      },
    };
    const store = await openStore({ persistence, log: silentLog });
    const clock = createManualClock();
    const stop = startCompaction({ store, clock, log: silentLog });
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "a" } };
    const writeMinute = async (): Promise<void> => {
      for (let count = 0; count < 60; count += 1) {
        const from = store.revision;
        await Promise.all(Array.from({ length: 1000 }, (_, index) => store.put("/c/leases/x/a", lease, from + index)));
      }
      await clock.advance(minuteMs);
    };
    for (let minute = 0; minute < 5; minute += 1) await writeMinute();
    expect(store.compactedRevision).toBe(0);
    await writeMinute();
    await clock.advance(0);
    expect([store.revision, store.compactedRevision]).toEqual([360_000, 60_000]);
    expect([steps.length, Math.max(...steps)]).toEqual([60, 1000]);
    await stop();
  });

  it("forgets earlier when the texts of history are too long together", async () => {
    const store = await openStore({ persistence: noPersistence, log: silentLog });
    const clock = createManualClock();
    const stop = startCompaction({ store, clock, log: silentLog, maximumBytes: 5_000 });
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { text: "x".repeat(100) } };
    for (let count = 0; count < 2_500; count += 1) await store.put("//configmaps/default/a", object, count);
    await clock.advance(minuteMs);
    expect(store.historyBytes).toBeLessThan(5_000 + 1_000 * 300);
    expect(store.compactedRevision).toBe(2_500);
    await stop();
  });
});
