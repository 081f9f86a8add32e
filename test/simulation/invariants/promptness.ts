import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { headOf } from "../fleet-files.ts";
import { repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** For a poll and a run; a replica may have to take the Lease before. */
const runMs = 30_000;
/** After a fault: retries may wait so long. */
const settledAfterMs = 120_000;

/** In calm times a push is seen with the next poll, and what failed in its run is tried again without waiting for another. */
export function pushesAreAppliedSoon({ world, mirror, violate, hubDisturbedAtMs }: Scene): Invariant {
  const name = "a push is applied soon";
  const pushedAt = { head: "", atMs: 0 };
  return {
    name,
    onTick: () => {
      const { elapsedMs } = world.scheduler;
      const head = headOf(world) ?? "";
      if (head !== pushedAt.head) Object.assign(pushedAt, { head, atMs: elapsedMs });
      // After failed polls the next one waits as long as after one that succeeds, and no longer.
      const awaitedMs = Math.max(pushedAt.atMs, world.weather.lookFailedAtMs) + world.pace.fetchIntervalMs + runMs;
      const dueMs = Math.max(awaitedMs, hubDisturbedAtMs() + settledAfterMs);
      if (elapsedMs <= dueMs) return;
      const repository = mirror.get(repositoryKey);
      const seen = textAt(repository, "status", "observedCommit");
      const late = `${Math.round((elapsedMs - pushedAt.atMs) / 1000)} s after its push`;
      if (seen !== head) return violate(name, `${head.slice(0, 8)} is not seen ${late}`);
      const isSettled = textAt(repository, "status", "settledCommit") === head;
      const conditions = objectsAt(repository, "status", "conditions");
      if (!isSettled && conditions.some(({ reason }) => reason === "WritesFailed"))
        violate(name, `a write for ${head.slice(0, 8)} failed, and is not tried again ${late}`);
    },
  };
}
