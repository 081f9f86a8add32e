// A process that writes to a store as fast as it can, reports every write that was acknowledged, and waits to be killed.
import process from "node:process";
import { silentLog } from "../../../src/core/log.ts";
import { openLevelPersistence } from "../../../src/embedded-hub/store/level-persistence.ts";
import { openStore } from "../../../src/embedded-hub/store/open-store.ts";

const [dir = "", writers = "16"] = process.argv.slice(2);
const persistence = await openLevelPersistence({ dir, owner: `process ${process.pid}` });
const store = await openStore({ persistence, log: silentLog });

async function writeForever(name: string): Promise<never> {
  const key = `//configmaps/default/${name}`;
  for (;;) {
    const old = store.getForWrite(key);
    const count = Number(old?.object.metadata.labels?.["count"] ?? 0) + 1;
    // Every fifth write deletes, so that tombstones are killed over too.
    if (old !== undefined && count % 5 === 0) await store.delete(key, old.modRevision);
    const labels = { count: String(count) };
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels },
      data: { filler: "x".repeat(200) },
    };
    const written = await store.put(key, object, store.getForWrite(key)?.modRevision ?? 0);
    if (written === undefined) throw new Error("nobody else writes this key");
    process.stdout.write(`${name} ${count} ${written.modRevision}\n`);
  }
}

async function compactForever(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.compact(store.revision - 50);
  }
}

await Promise.all([
  ...Array.from({ length: Number(writers) }, (_, index) => writeForever(`w${index}`)),
  compactForever(),
]);
