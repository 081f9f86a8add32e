import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
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
  const keys = new Map<string, string>();
  const byKey: Groups = new Map();
  const servers = new Map<string, string>();
  const byServer: Groups = new Map();
  return {
    record: ({ ref, object }) => {
      const name = describeRef(ref);
      const before = keys.get(name);
      if (before !== undefined) removeFrom(byKey, before, name);
      const serverBefore = servers.get(name);
      if (serverBefore !== undefined) removeFrom(byServer, serverBefore, name);
      servers.delete(name);
      if (object === undefined) {
        keys.delete(name);
        return before;
      }
      const key = publishedKey(object);
      keys.set(name, key);
      if (!isAppliedBy(object, fieldManagers.hub)) return key;
      addTo(byKey, key, { ref, object });
      const server = serverOfSecret(object);
      if (server !== undefined) {
        servers.set(name, server);
        addTo(byServer, server, { ref, object });
      }
      return key;
    },
    of: (key) => [...(byKey.get(key)?.values() ?? [])],
    at: (server) => [...(byServer.get(server)?.values() ?? [])],
  };
}

/** Published objects by a property, and by their own name. */
type Groups = Map<string, Map<string, PublishedObject>>;

function addTo(groups: Groups, group: string, published: PublishedObject): void {
  const held = groups.get(group) ?? new Map<string, PublishedObject>();
  groups.set(group, held.set(describeRef(published.ref), published));
}

function removeFrom(groups: Groups, group: string, name: string): void {
  groups.get(group)?.delete(name);
  if (groups.get(group)?.size === 0) groups.delete(group);
}

/** The Cluster that a published object describes, as `workspace/name`. */
export function publishedKey({ metadata }: KubeObject): string {
  return `${metadata.labels?.[labelKeys.publishedWorkspace]}/${metadata.labels?.[labelKeys.publishedCluster]}`;
}
