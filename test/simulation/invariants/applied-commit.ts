import { textAt } from "../../../src/core/read-json.ts";
import { declaredAt } from "../fleet-files.ts";
import { clusterPrefix, repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** When a commit is called applied, the hub has what its files declare. */
export function appliedMeansOnHub({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "an applied commit is on the hub";
  return {
    name,
    onRow: ({ key, before, after }) => {
      if (key !== repositoryKey) return;
      const [was, is] = [before, after].map((repository) => textAt(repository, "status", "appliedCommit"));
      if (is === undefined || is === was) return;
      for (const [cluster, { edition, isBroken }] of declaredAt(world, is)) {
        if (isBroken || intent.suspended.has(cluster)) continue;
        const label = mirror.get(`${clusterPrefix}${cluster}`)?.metadata.labels?.["edition"];
        // What a person changed by hand meanwhile is undone by the next run.
        const isByHand = label === "drift" || (label === undefined && intent.deletedByHand.has(cluster));
        if (label === edition || isByHand) continue;
        violate(name, `${is.slice(0, 8)} is applied, and ${cluster} has edition ${label ?? "none"}, not ${edition}`);
      }
    },
  };
}
