import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** Which members of a workspace name a Secret. */
export interface SecretUsers {
  /** Takes in a change of a Cluster. */
  record(before: KubeObject | undefined, object: KubeObject | undefined): void;
  of(workspace: string, secret: string): readonly string[];
}

/** An index: every agent that joins brings Secrets, and a scan of all members for each of them would add up. */
export function secretUsers(
  clusters: readonly KubeObject[],
  secretsOf: (cluster: Cluster) => readonly string[],
): SecretUsers {
  const users = new Map<string, Set<string>>();
  const keysOf = (cluster: KubeObject | undefined): string[] =>
    cluster === undefined
      ? []
      : secretsOf(cluster as Cluster).map((secret) => `${cluster.metadata.namespace}/${secret}`);
  const record = (before: KubeObject | undefined, object: KubeObject | undefined): void => {
    for (const former of keysOf(before)) {
      users.get(former)?.delete(before?.metadata.name ?? "");
      if (users.get(former)?.size === 0) users.delete(former);
    }
    for (const next of keysOf(object)) users.set(next, (users.get(next) ?? new Set()).add(object?.metadata.name ?? ""));
  };
  for (const cluster of clusters) record(undefined, cluster);
  return { record, of: (workspace, secret) => [...(users.get(`${workspace}/${secret}`) ?? [])] };
}
