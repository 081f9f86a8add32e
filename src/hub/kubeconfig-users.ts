import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** Which members of a workspace name a Secret as their kubeconfig. */
export interface KubeconfigUsers {
  /** Takes in a change of a Cluster. */
  note(before: KubeObject | undefined, object: KubeObject | undefined): void;
  of(workspace: string, secret: string): readonly string[];
}

/** An index: every agent that joins brings Secrets, and a look at all members for each of them would add up. */
export function kubeconfigUsers(clusters: readonly KubeObject[]): KubeconfigUsers {
  const users = new Map<string, Set<string>>();
  const keyOf = (cluster: KubeObject | undefined): string | undefined => {
    const secret = (cluster as Cluster | undefined)?.spec?.kubeConfigSecretRef?.name;
    return cluster && secret !== undefined ? `${cluster.metadata.namespace}/${secret}` : undefined;
  };
  const note = (before: KubeObject | undefined, object: KubeObject | undefined): void => {
    const [former, next] = [keyOf(before), keyOf(object)];
    if (before && former !== undefined) users.get(former)?.delete(before.metadata.name);
    if (former !== undefined && users.get(former)?.size === 0) users.delete(former);
    if (object && next !== undefined) users.set(next, (users.get(next) ?? new Set()).add(object.metadata.name));
  };
  for (const cluster of clusters) note(undefined, cluster);
  return { note, of: (workspace, secret) => [...(users.get(`${workspace}/${secret}`) ?? [])] };
}
