import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { startCompaction } from "../../../../src/embedded-hub/store/compaction.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
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
});
