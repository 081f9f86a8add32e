import { firstNameOf } from "../first-name.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Scene } from "./invariant.ts";

/** The names under which the hub has this cluster: two while it is renamed, or while the removal of one waits. */
export function namesOnHub({ mirror }: Pick<Scene, "mirror">, cluster: string): readonly string[] {
  const firstName = firstNameOf(cluster);
  return [...mirror.below(clusterPrefix).keys()].filter(
    (one) => one.endsWith(firstName) && firstNameOf(one) === firstName,
  );
}
