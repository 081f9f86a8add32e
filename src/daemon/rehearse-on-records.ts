import { objectsAround } from "../hub/rehearsal/objects-around.ts";
import { rehearseChanges } from "../hub/rehearsal/rehearse-changes.ts";
import { readPreviousName } from "../model/previous-name.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { RecordedObjects } from "../planning/recorded-objects.ts";
import type { OfflineInputs } from "../review/plan-against-records.ts";
import { factsForPlans } from "./facts-for-plans.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import { workspaceNamespace } from "./rehearse-on-view.ts";

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
      ...successorsOf(recorded, changes),
    ];
    const places = [...objects.map(({ metadata }) => metadata.namespace), ...changes.map(({ ref }) => ref.namespace)];
    const workspaces = [...new Set(places)].filter((name) => name !== undefined && name !== "" && isWorkspace(name));
    return rehearseChanges({
      objects: [...workspaces.map((name = "") => workspaceNamespace(name)), ...objects],
      base: (ref) => recorded.get(ref),
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

/** What belongs to clusters that take the place of a changed one: records do not have the annotation that names them. */
function successorsOf(recorded: RecordedObjects, changes: readonly PlannedChange[]): KubeObject[] {
  const changed = new Set(changes.map(({ ref }) => `${ref.namespace ?? ""}/${ref.name}`));
  const clusters = recorded.list(resourceTypes.cluster) as readonly Cluster[];
  return clusters.flatMap(({ metadata, spec }) => {
    if (spec?.previousName === undefined) return [];
    const former = readPreviousName(spec.previousName, metadata.namespace ?? "");
    if (!changed.has(`${former.workspace}/${former.name}`)) return [];
    const {
      cluster,
      children = [],
      kubeconfigSecret,
    } = recorded.memberOf(metadata.namespace ?? "", metadata.name) ?? {};
    return [...(cluster ? [cluster] : []), ...children, ...(kubeconfigSecret ? [kubeconfigSecret] : [])];
  });
}
