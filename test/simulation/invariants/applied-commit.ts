import { declaredAt } from "../fleet-files.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { whenApplied } from "./newly-applied.ts";

/** When a commit is called applied, the hub has what its files declare. */
export function appliedMeansOnHub(scene: Scene): Invariant {
  const { world, mirror, intent, violate } = scene;
  const name = "an applied commit is on the hub";
  return {
    name,
    ...whenApplied(scene, (applied) => {
      for (const [cluster, { edition, isBroken }] of declaredAt(world, applied)) {
        if (isBroken || intent.suspended.has(cluster)) continue;
        const label = mirror.get(`${clusterPrefix}${cluster}`)?.metadata.labels?.["edition"];
        // What a person changed on the hub meanwhile is reverted by the next run.
        const isByHand = label === "drift" || (label === undefined && intent.deletedByHand.has(cluster));
        if (label === edition || isByHand) continue;
        violate(
          name,
          `${applied.slice(0, 8)} is applied, and ${cluster} has edition ${label ?? "none"}, not ${edition}`,
        );
      }
    }),
  };
}
