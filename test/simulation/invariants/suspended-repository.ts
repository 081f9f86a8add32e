import { isTrueAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { clusterPrefix, repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** For a run that had begun, and for what it had sent. */
const inFlightMs = 60_000;

/** While a person has suspended the Repository, no commit is followed: git makes, changes and removes no Cluster. */
export function suspendedRepositoryStays({ world, violate }: Scene): Invariant {
  const name = "a suspended Repository changes nothing";
  let sinceMs: number | undefined;
  return {
    name,
    onRow: ({ key, before, after }) => {
      const { elapsedMs } = world.scheduler;
      if (key === repositoryKey) sinceMs = isTrueAt(after, "spec", "suspend") ? (sinceMs ?? elapsedMs) : undefined;
      if (sinceMs === undefined || elapsedMs < sinceMs + inFlightMs) return;
      if (key === repositoryKey) {
        const [seen, sees] = [before, after].map((object) => textAt(object, "status", "observedCommit"));
        if (seen !== sees) violate(name, `${sees?.slice(0, 8) ?? "no commit"} is followed`);
      }
      if (!key.startsWith(clusterPrefix)) return;
      const cluster = key.slice(clusterPrefix.length);
      const [was, is] = [before, after].map((object) => object?.metadata.labels?.["edition"]);
      // A person may delete it; what leaves already continues.
      if (after === undefined || isLeaving(before)) return;
      if (isLeaving(after)) violate(name, `${cluster} is to leave`);
      // People change it to this value, and to no other.
      else if (was !== is && is !== "drift") violate(name, `the edition of ${cluster} becomes ${is ?? "none"}`);
    },
  };

  function isLeaving(object: KubeObject | undefined): boolean {
    return object?.metadata.annotations?.[annotationKeys.leave] !== undefined;
  }
}

/** At rest, each run that a person asked for has been made. */
export function requestedRunsAreMade({ mirror, intent, violate }: Scene): Invariant {
  const name = "a requested run is made";
  return {
    name,
    atRest: () => {
      const handled = textAt(mirror.get(repositoryKey), "status", "lastHandledRequest");
      if (intent.requestedRun !== undefined && handled !== intent.requestedRun)
        violate(name, `the last request is ${intent.requestedRun}, and ${handled ?? "none"} was handled`);
    },
  };
}
