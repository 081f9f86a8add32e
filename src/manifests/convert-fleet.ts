import { isJsonObject } from "../core/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textMapAt, valueAt } from "../core/read-json.ts";
import { fleetKeys } from "../model/dialects/fleet.ts";
import type { ClusterGroup } from "../model/generated/cluster-group.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject, ObjectMeta } from "../model/kubernetes.ts";

const apiVersion = "rollcall.dev/v1alpha1";

/** The fields that the spec of a Fleet Cluster can have. */
export const fleetClusterFields: readonly string[] = [
  ...["paused", "clientID", "kubeConfigSecret", "kubeConfigSecretNamespace", "redeployAgentGeneration"],
  ...["agentNamespace", "agentEnvVars", "agentTolerations", "agentAffinity", "agentResources", "agentPullSecrets"],
  ...["hostNetwork", "privateRepoURL", "templateValues", "agentSchedulingCustomization"],
];

/** Converts a Fleet Cluster's file to a Cluster. Fields that only Fleet has are in `spec.fleet`. */
export function clusterOfFleet(object: KubeObject): Cluster {
  const spec = objectAt(object, "spec") ?? {};
  const clientID = textAt(spec, "clientID");
  const kubeConfigSecret = textAt(spec, "kubeConfigSecret");
  const agent = present({
    namespace: textAt(spec, "agentNamespace"),
    env: listAt(spec, "agentEnvVars"),
    tolerations: listAt(spec, "agentTolerations"),
    affinity: objectAt(spec, "agentAffinity"),
    resources: objectAt(spec, "agentResources"),
    hostNetwork: isTrueAt(spec, "hostNetwork") ? true : undefined,
    // None is another answer than nothing: with nothing Fleet's controllers take those of their own configuration.
    imagePullSecrets: Array.isArray(valueAt(spec, "agentPullSecrets"))
      ? (listAt(spec, "agentPullSecrets") ?? [])
      : undefined,
    redeployGeneration: numberAt(spec, "redeployAgentGeneration"),
  });
  const fleet = present({
    privateRepoURL: textAt(spec, "privateRepoURL"),
    templateValues: objectAt(spec, "templateValues"),
    agentSchedulingCustomization: objectAt(spec, "agentSchedulingCustomization"),
  });
  const cluster = {
    apiVersion,
    kind: "Cluster",
    metadata: metadataOf(object),
    spec: {
      protocol: "fleet",
      ...present({
        clientID: clientID === "" ? undefined : clientID,
        paused: isTrueAt(spec, "paused") ? true : undefined,
        kubeConfigSecretRef: kubeConfigSecret ? { name: kubeConfigSecret } : undefined,
        agent: Object.keys(agent).length > 0 ? agent : undefined,
        fleet: Object.keys(fleet).length > 0 ? fleet : undefined,
      }),
    },
  };
  return cluster as Cluster;
}

/**
 * Converts a Fleet token's file to a token. As with Fleet, it admits any cluster; the annotation
 * rollcall.dev/cluster-names lists those that it may admit again.
 */
export function tokenOfFleet(object: KubeObject): ClusterRegistrationToken {
  const ttl = textAt(object, "spec", "ttl");
  const names = clustersNamedBy(object);
  return {
    apiVersion,
    kind: "ClusterRegistrationToken",
    metadata: metadataOf(object),
    spec: {
      protocol: "fleet",
      ...(names.length === 0 ? {} : { clusterNames: [...names, "*"] }),
      ...(ttl === undefined || ttl === "" ? {} : { fleet: { ttl } }),
    },
  };
}

/** The clusters that a Fleet token's file lets in again. */
export function clustersNamedBy({ metadata }: KubeObject): string[] {
  const text = metadata.annotations?.[fleetKeys.namedClusters] ?? "";
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Converts a Fleet group's file to a group. With Fleet, a group without a selector has no clusters. */
export function groupOfFleet(object: KubeObject): ClusterGroup {
  const selector = objectAt(object, "spec", "selector");
  const matchLabels = textMapAt(selector, "matchLabels");
  const matchExpressions = objectsAt(selector, "matchExpressions");
  const wanted =
    selector === undefined
      ? { matchExpressions: [{ key: "rollcall.dev/no-cluster", operator: "Exists" }] }
      : {
          ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
          ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
        };
  const group = { apiVersion, kind: "ClusterGroup", metadata: metadataOf(object), spec: { selector: wanted } };
  return group as ClusterGroup;
}

function metadataOf({ metadata }: KubeObject): ObjectMeta {
  const { name, namespace, labels, annotations } = metadata;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  const list = valueAt(value, key);
  return Array.isArray(list) && list.length > 0 ? list.filter((item) => isJsonObject(item)) : undefined;
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
