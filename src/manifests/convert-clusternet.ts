import { objectsAt, textAt, textMapAt } from "../core/read-json.ts";
import { clusternetTokenLabels, isTaintOfClusternet } from "../model/dialects/clusternet.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";

const apiVersion = "rollcall.dev/v1alpha1";

/**
 * Converts a ManagedCluster's file to a Cluster. Its namespace is the one on a hub of Clusternet's. Taints that the hub
 * sets for a cluster which is not ready are left out: the hub removes them, and a file would set them for ever.
 */
export function clusterOfManagedCluster(object: KubeObject): Cluster {
  const { name, namespace, labels, annotations } = object.metadata;
  const taints = objectsAt(object, "spec", "taints").filter((taint) => !isTaintOfClusternet(taint));
  const cluster = {
    apiVersion,
    kind: "Cluster",
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels: withoutSystemLabels(labels) }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      protocol: "clusternet",
      clientID: textAt(object, "spec", "clusterId") ?? "",
      ...(taints.length === 0 ? {} : { taints }),
      clusternet: settingsOf(object, namespace),
    },
  };
  return cluster as unknown as Cluster;
}

/** The index, in the file of a ManagedCluster, of the taint that its Cluster has at this index. */
export function indexOfTaint(object: KubeObject, index: number): number {
  const kept = objectsAt(object, "spec", "taints").flatMap((taint, at) => (isTaintOfClusternet(taint) ? [] : [at]));
  return kept[index] ?? index;
}

/** The Cluster that the approval of a request makes, where no other file declares it. */
export function clusterOfApproval(object: KubeObject): Cluster {
  const { annotations } = object.metadata;
  const {
    [clusternetTokenLabels.workspace]: _workspace,
    [clusternetTokenLabels.token]: _token,
    ...labels
  } = textMapAt(object, "spec", "clusterLabels");
  const cluster = {
    apiVersion,
    kind: "Cluster",
    metadata: {
      name: textAt(object, "spec", "clusterName") ?? "",
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      protocol: "clusternet",
      clientID: textAt(object, "spec", "clusterId") ?? "",
      clusternet: settingsOf(object, textAt(object, "spec", "clusterNamespace")),
    },
  };
  return cluster as unknown as Cluster;
}

function settingsOf(object: KubeObject, namespace: string | undefined): Record<string, string> {
  const fields = ["clusterType", "syncMode", "clusterInitBaseName"].map((key): [string, string | undefined] => [
    key,
    textAt(object, "spec", key),
  ]);
  const stated = [...fields, ["clusterNamespace", namespace] as const];
  return Object.fromEntries(stated.filter((field): field is [string, string] => field[1] !== undefined));
}

/** Without the labels that Clusternet's approver sets on every ManagedCluster; the hub sets them itself. */
function withoutSystemLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter(([key]) => !/^(?:clusters\.|node\.)?clusternet\.io\//u.test(key)),
  );
}
