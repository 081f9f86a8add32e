import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";

/** An object that this program published. */
export interface PublishedObject {
  readonly ref: ObjectRef;
  readonly object: KubeObject;
}

/** Published objects by the Cluster that they describe: the cost of reading a Cluster does not grow with the fleet. */
export interface PublishedIndex {
  /** Takes in a change of a watched object. Returns the Cluster that it describes, or described, as `workspace/name`. */
  record(change: { readonly ref: ObjectRef; readonly object: KubeObject | undefined }): string | undefined;
  /**
   * What of a Cluster is there and was applied by this program. The controller of Argo CD for ClusterProfiles copies the
   * labels, too.
   */
  of(key: string): readonly PublishedObject[];
}

export function createPublishedIndex(): PublishedIndex {
  const keys = new Map<string, string>();
  const byKey = new Map<string, Map<string, PublishedObject>>();
  return {
    record: ({ ref, object }) => {
      const name = describeRef(ref);
      const before = keys.get(name);
      if (before !== undefined) {
        byKey.get(before)?.delete(name);
        if (byKey.get(before)?.size === 0) byKey.delete(before);
      }
      if (object === undefined) {
        keys.delete(name);
        return before;
      }
      const key = publishedKey(object);
      keys.set(name, key);
      if (isAppliedBy(object, fieldManagers.hub))
        byKey.set(key, (byKey.get(key) ?? new Map<string, PublishedObject>()).set(name, { ref, object }));
      return key;
    },
    of: (key) => [...(byKey.get(key)?.values() ?? [])],
  };
}

/** The Cluster that a published object describes, as `workspace/name`. */
export function publishedKey({ metadata }: KubeObject): string {
  return `${metadata.labels?.[labelKeys.publishedWorkspace]}/${metadata.labels?.[labelKeys.publishedCluster]}`;
}
