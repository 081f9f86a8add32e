import { numberAt, objectAt, objectsAt, textAt } from "../core/read-json.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/**
 * Converts a MemberCluster's file, v1beta1 or v1, to a Cluster. Fields that only KubeFleet has are in `spec.kubefleet`.
 */
export function clusterOfMemberCluster(object: KubeObject): Cluster {
  const spec = objectAt(object, "spec") ?? {};
  const { name, labels, annotations } = object.metadata;
  const periodSeconds = numberAt(spec, "heartbeatPeriodSeconds");
  const taints = objectsAt(spec, "taints");
  const identity = objectAt(spec, "identity");
  const apiGroup = textAt(identity, "apiGroup") ?? "";
  const deleteOptions = objectAt(spec, "deleteOptions");
  const { apiGroup: _apiGroup, ...account } = identity ?? {};
  const cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      protocol: "kubefleet",
      ...(periodSeconds === undefined ? {} : { heartbeat: { periodSeconds } }),
      ...(taints.length === 0 ? {} : { taints }),
      kubefleet: {
        ...(identity === undefined ? {} : { identity: { ...account, ...(apiGroup === "" ? {} : { apiGroup }) } }),
        ...(deleteOptions === undefined ? {} : { deleteOptions }),
      },
    },
  };
  return cluster as unknown as Cluster;
}
