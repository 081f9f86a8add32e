import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
import { createGroups } from "./groups.ts";
import { serverOfSecret } from "./published-server.ts";

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
  /** Those Secrets of Argo CD among them that have this address ({@link serverOf}), of all Clusters. */
  at(server: string): readonly PublishedObject[];
}

export function createPublishedIndex(): PublishedIndex {
  const byKey = createGroups<PublishedObject>();
  const byServer = createGroups<PublishedObject>();
  /** Of all that is published, also what another manager applied. */
  const keys = new Map<string, string>();
  return {
    record: ({ ref, object }) => {
      const name = describeRef(ref);
      const before = keys.get(name);
      byKey.remove(name);
      byServer.remove(name);
      if (object === undefined) {
        keys.delete(name);
        return before;
      }
      const key = publishedKey(object);
      keys.set(name, key);
      if (!isAppliedBy(object, fieldManagers.hub)) return key;
      byKey.add(key, name, { ref, object });
      const server = serverOfSecret(object);
      if (server !== undefined) byServer.add(server, name, { ref, object });
      return key;
    },
    of: byKey.of,
    at: byServer.of,
  };
}

/** The Cluster that a published object describes, as `workspace/name`. */
export function publishedKey({ metadata }: KubeObject): string {
  return `${metadata.labels?.[labelKeys.publishedWorkspace]}/${metadata.labels?.[labelKeys.publishedCluster]}`;
}
