import type { KubeObject, OwnerReference } from "../../model/kubernetes.ts";
import type { FeedEvent } from "./object-feed.ts";

/** An object as its owners know it. */
export interface Dependent {
  readonly group: string;
  readonly plural: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  readonly isDeleting: boolean;
  /** Deleted with propagation Foreground: it waits for its own dependents. */
  readonly isDeletingDependents: boolean;
}

/** Who depends on whom, by uid, over all kinds. Objects without owners cost it nothing. */
export interface OwnerIndex {
  /** Takes an event in; called for every event, first of all listeners. Returns what the object was before. */
  observe(event: FeedEvent): Dependent | undefined;
  dependentsOf(ownerUid: string): readonly Dependent[];
}

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

export function createOwnerIndex(): OwnerIndex {
  const dependents = new Map<string, Dependent>();
  const byOwner = new Map<string, Map<string, Dependent>>();

  const forget = (dependent: Dependent) => {
    dependents.delete(dependent.uid);
    for (const { uid } of dependent.owners) {
      const owned = byOwner.get(uid);
      owned?.delete(dependent.uid);
      if (owned?.size === 0) byOwner.delete(uid);
    }
  };

  const remember = (dependent: Dependent) => {
    dependents.set(dependent.uid, dependent);
    for (const { uid } of dependent.owners) {
      const owned = byOwner.get(uid) ?? new Map<string, Dependent>();
      byOwner.set(uid, owned.set(dependent.uid, dependent));
    }
  };

  return {
    observe: (event) => {
      // An object that was never in the index and names no owner need not even be parsed.
      if (event.kind === "added" && !event.mentions('"ownerReferences"')) return undefined;
      const { object } = event;
      const { uid = "" } = object.metadata;
      const before = dependents.get(uid);
      if (before !== undefined) forget(before);
      if (event.kind !== "deleted" && (object.metadata.ownerReferences ?? []).length > 0) {
        remember(asDependent(event.group, event.plural, object));
      }
      return before;
    },
    dependentsOf: (ownerUid) => [...(byOwner.get(ownerUid)?.values() ?? [])],
  };
}

/** True when the object waits for what it owns to be deleted. */
export function isDeletingDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(foregroundFinalizer);
}

function asDependent(group: string, plural: string, object: KubeObject): Dependent {
  const { namespace = "", name, uid = "", ownerReferences = [], deletionTimestamp } = object.metadata;
  return {
    group,
    plural,
    namespace,
    name,
    uid,
    owners: ownerReferences,
    isDeleting: deletionTimestamp !== undefined,
    isDeletingDependents: isDeletingDependents(object),
  };
}
