import { textAt } from "../../../src/core/read-json.ts";
import { headOf } from "../fleet-files.ts";
import { repositoryKey } from "../mirror.ts";
import type { Invariant, RowChange, Scene } from "./invariant.ts";

/** For each kind of the hub to be listed again by a daemon that knows of no restore. */
const listedAfterMs = 60_000;

/** The commit that this write of the Repository calls applied, when the one before called another so. */
export function newlyApplied({ key, before, after }: RowChange): string | undefined {
  if (key !== repositoryKey) return undefined;
  const [was, is] = [before, after].map((repository) => textAt(repository, "status", "appliedCommit"));
  return is === was ? undefined : is;
}

/**
 * Calls `check` with each commit that is newly called applied. A daemon that runs on over a restore takes the hub for what it
 * was until it has listed each kind again: what it calls applied meanwhile is checked after that, unless something was pushed.
 */
export function whenApplied(
  { world, mirror, hubUnseenAtMs }: Pick<Scene, "world" | "mirror" | "hubUnseenAtMs">,
  check: (commit: string) => void,
): Required<Pick<Invariant, "onRow" | "onTick" | "onRestore">> {
  let restoredAtMs = -Infinity;
  let isPutOff = false;
  const isUnseen = (): boolean => {
    const seenAtMs = Math.max(restoredAtMs, hubUnseenAtMs());
    return Number.isFinite(restoredAtMs) && world.scheduler.elapsedMs - seenAtMs < listedAfterMs;
  };
  return {
    onRestore: ({ copy }) => {
      restoredAtMs = copy.isNoticed ? -Infinity : world.scheduler.elapsedMs;
      isPutOff = false;
    },
    onRow: (change) => {
      const applied = newlyApplied(change);
      if (applied === undefined) return;
      isPutOff = isUnseen();
      if (!isPutOff) check(applied);
    },
    onTick: () => {
      if (isUnseen()) return;
      restoredAtMs = -Infinity;
      const applied = textAt(mirror.get(repositoryKey), "status", "appliedCommit");
      if (isPutOff && applied !== undefined && applied === headOf(world)) check(applied);
      isPutOff = false;
    },
  };
}
