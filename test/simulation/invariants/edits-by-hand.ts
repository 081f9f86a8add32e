import { textAt } from "../../../src/core/read-json.ts";
import { declaredAt, headOf } from "../fleet-files.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

const undoneWithinMs = 30_000;
/** After a fault: retries may wait so long. */
const settledAfterMs = 90_000;

/** In calm times a manual edit of a declared label is reverted within half a minute, before the branch is read again. */
export function editsAreUndone({ world, mirror, intent, violate, disturbedAtMs }: Scene): Invariant {
  const name = "a manual edit is reverted within 30 s";
  /** When the label of each cluster was edited manually, until it is as declared again. */
  const editedAt = new Map<string, number>();
  return {
    name,
    onRestore: () => {
      editedAt.clear();
      for (const [cluster, { metadata }] of mirror.below(clusterPrefix))
        if (metadata.labels?.["edition"] === "drift") editedAt.set(cluster, world.scheduler.elapsedMs);
    },
    onRow: ({ key, before, after }) => {
      if (!key.startsWith(clusterPrefix)) return;
      const cluster = key.slice(clusterPrefix.length);
      const [was, is] = [before, after].map((object) => object?.metadata.labels?.["edition"]);
      if (is !== "drift") editedAt.delete(cluster);
      else if (was !== is) editedAt.set(cluster, world.scheduler.elapsedMs);
    },
    onTick: () => {
      const { elapsedMs } = world.scheduler;
      const declared = declaredAt(world, headOf(world));
      for (const [cluster, atMs] of editedAt) {
        const live = mirror.get(`${clusterPrefix}${cluster}`);
        const isLeaving = live?.metadata.annotations?.["rollcall.dev/leave"] !== undefined;
        const file = declared.get(cluster);
        if (file === undefined || isLeaving || intent.suspended.has(cluster)) continue;
        // Of a broken file at a new path, no commit has what it declared: its object stays as it is until it is mended, and a
        // commit is read some time after it was pushed.
        if (file.isBroken && textAt(live, "status", "source", "file") !== file.path) {
          editedAt.set(cluster, elapsedMs + settledAfterMs);
          continue;
        }
        if (elapsedMs - Math.max(atMs, disturbedAtMs() + settledAfterMs) <= undoneWithinMs) continue;
        editedAt.delete(cluster);
        violate(name, `${cluster} keeps what was written by hand ${Math.round((elapsedMs - atMs) / 1000)} s ago`);
      }
    },
  };
}
