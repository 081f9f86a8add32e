import type { KubeObject } from "../../model/kubernetes.ts";
import {
  annotatedCount,
  byCreation,
  desiredReplicasAnnotation,
  isRollingUpdate,
  maxReplicasAnnotation,
  maxSurgeOf,
  maxUnavailableOf,
  specReplicas,
  statusCount,
  sumOf,
} from "./deployment-facts.ts";

/** New sizes of ReplicaSets by name; sets that are not in it keep theirs. */
export type Sizes = ReadonlyMap<string, number>;

const none: Sizes = new Map();

/** True when `spec.replicas` changed since the sets were last sized. */
export function isScalingEvent(deployment: KubeObject, sets: readonly KubeObject[]): boolean {
  return sets
    .filter((set) => specReplicas(set) > 0)
    .map((set) => annotatedCount(set, desiredReplicasAnnotation))
    .some((desired) => desired !== undefined && desired !== specReplicas(deployment));
}

/**
 * Sizes after a change of `spec.replicas`, or of a paused deployment: all sets in proportion.
 * Source: Kubernetes, pkg/controller/deployment scale.
 */
export function scaledSizes(
  deployment: KubeObject,
  newSet: KubeObject | undefined,
  oldSets: readonly KubeObject[],
): Sizes {
  const replicas = specReplicas(deployment);
  const all = [...oldSets, ...(newSet === undefined ? [] : [newSet])];
  const active = all.filter((set) => specReplicas(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? newSet ?? [...oldSets].sort(byCreation).at(-1);
    return only === undefined || specReplicas(only) === replicas ? none : new Map([[only.metadata.name, replicas]]);
  }
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return new Map(oldSets.filter((set) => specReplicas(set) > 0).map((set) => [set.metadata.name, 0]));
  }
  return isRollingUpdate(deployment) ? proportionalSizes(deployment, active) : none;
}

/** The size that the new set may have now. Source: deployment/util NewRSNewReplicas. */
export function newSetSize(deployment: KubeObject, newSize: number, oldSets: readonly KubeObject[]): number {
  const replicas = specReplicas(deployment);
  if (!isRollingUpdate(deployment) || newSize > replicas) return replicas;
  const room = replicas + maxSurgeOf(deployment) - newSize - sumOf(oldSets, specReplicas);
  return room <= 0 ? newSize : newSize + Math.min(room, replicas - newSize);
}

/**
 * Sizes of the old sets when the new one is as large as it may be: unhealthy Pods are removed first. Nothing is removed while the
 * status of a set is older than its size: Pods that it is about to lose are available in it.
 */
export function shrunkOldSizes(deployment: KubeObject, newSet: KubeObject, oldSets: readonly KubeObject[]): Sizes {
  const active = oldSets.filter((set) => specReplicas(set) > 0).sort(byCreation);
  const minAvailable = specReplicas(deployment) - maxUnavailableOf(deployment);
  const newUnavailable = specReplicas(newSet) - statusCount(newSet, "availableReplicas");
  const total = sumOf(active, specReplicas) + specReplicas(newSet);
  let mayGo = total - minAvailable - newUnavailable;
  if (active.length === 0 || mayGo <= 0) return none;
  if (active.some((set) => statusCount(set, "availableReplicas") > specReplicas(set))) return none;
  const sizes = new Map(active.map((set) => [set.metadata.name, specReplicas(set)]));
  for (const set of active) {
    const size = sizes.get(set.metadata.name) ?? 0;
    const unhealthy = Math.max(0, size - statusCount(set, "availableReplicas"));
    const gone = Math.min(mayGo, unhealthy);
    sizes.set(set.metadata.name, size - gone);
    mayGo -= gone;
  }
  let spare = sumOf([...active, newSet], (set) => statusCount(set, "availableReplicas")) - minAvailable;
  for (const set of active) {
    const size = sizes.get(set.metadata.name) ?? 0;
    const gone = Math.min(size, Math.max(0, spare));
    sizes.set(set.metadata.name, size - gone);
    spare -= gone;
  }
  return new Map(
    [...sizes].filter(([name, size]) => active.some((set) => set.metadata.name === name && specReplicas(set) !== size)),
  );
}

function isSaturated(deployment: KubeObject, newSet: KubeObject): boolean {
  const replicas = specReplicas(deployment);
  return (
    specReplicas(newSet) === replicas &&
    annotatedCount(newSet, desiredReplicasAnnotation) === replicas &&
    statusCount(newSet, "availableReplicas") === replicas
  );
}

function proportionalSizes(deployment: KubeObject, active: readonly KubeObject[]): Sizes {
  const replicas = specReplicas(deployment);
  const allowed = replicas > 0 ? replicas + maxSurgeOf(deployment) : 0;
  const toAdd = allowed - sumOf(active, specReplicas);
  // Larger sets first; of equal ones the newer grow first and the older shrink first.
  const sorted = [...active].sort(
    (a, b) => specReplicas(b) - specReplicas(a) || (toAdd > 0 ? byCreation(b, a) : byCreation(a, b)),
  );
  let added = 0;
  const sizes = new Map<string, number>();
  for (const set of sorted) {
    const share = toAdd === 0 || added === toAdd ? 0 : shareOf(deployment, set, allowed);
    const limited = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    const part = toAdd === 0 || added === toAdd ? 0 : limited;
    sizes.set(set.metadata.name, specReplicas(set) + part);
    added += part;
  }
  const [largest] = sorted;
  if (largest !== undefined) {
    const { name } = largest.metadata;
    sizes.set(name, Math.max(0, (sizes.get(name) ?? 0) + toAdd - added));
  }
  return sizes;
}

function shareOf(deployment: KubeObject, set: KubeObject, allowed: number): number {
  const size = specReplicas(set);
  if (specReplicas(deployment) === 0) return -size;
  const before = annotatedCount(set, maxReplicasAnnotation) ?? statusCount(deployment, "replicas");
  if (before === 0) return 0;
  return Math.round((size * allowed) / before) - size;
}
