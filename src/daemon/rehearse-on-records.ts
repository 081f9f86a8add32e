import { objectsAround } from "../hub/rehearsal/objects-around.ts";
import { rehearseChanges } from "../hub/rehearsal/rehearse-changes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { OfflineInputs } from "../review/plan-against-records.ts";
import { factsForPlans } from "./facts-for-plans.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import { workspacesAround } from "./rehearse-on-view.ts";

/**
 * Runs the hub's controllers on the hub that the status branch records, around the changes: their work depends on the
 * changes, not on the fleet.
 */
export function rehearseOnRecords(signal: AbortSignal): NonNullable<OfflineInputs["rehearse"]> {
  return (world, changes) => {
    const { objects: recorded, serves, isWorkspace } = world;
    const protocols = protocolsWith(serves ?? []);
    const hubFacts = factsForPlans(world.namespace, world.nowMs);
    const objects = [
      ...recorded.list(resourceTypes.clusterRegistrationToken),
      ...objectsAround({ view: recorded, changes, protocols, hubFacts }),
    ];
    return rehearseChanges({
      objects: [...workspacesAround({ objects, changes, isWorkspace }), ...objects],
      changes,
      protocols,
      isServingKnown: serves !== undefined,
      areSecretsKnown: false,
      hubFacts,
      isAllowedWorkspace: isWorkspace,
      signal,
    });
  };
}
