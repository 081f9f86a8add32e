import { findCondition } from "../planning/conditions.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterAccess } from "../model/inline-kubeconfig.ts";
import type { Condition, KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { isReservedLabelKey, labelKeys } from "../model/well-known.ts";
import { publishedKubeconfig } from "./published-kubeconfig.ts";

/** The publisher, which the Cluster Inventory API names the cluster manager. */
const clusterManager = "rollcall";

/**
 * Labels by which a published object is found again; different from a member's, so that it is not taken for its child.
 */
function publishedLabels(cluster: Cluster): Record<string, string> {
  return {
    "app.kubernetes.io/managed-by": "rollcall",
    [labelKeys.publishedWorkspace]: cluster.metadata.namespace ?? "",
    [labelKeys.publishedCluster]: cluster.metadata.name,
  };
}

/**
 * The ClusterProfile of a Cluster, in its workspace; spec and status are written apart. Source: sigs.k8s.io/
 * cluster-inventory-api, ClusterProfile v1alpha1.
 */
export function clusterProfile(cluster: Cluster): {
  readonly object: KubeObject;
  readonly status: KubeObject["status"];
} {
  const { metadata, spec, status } = cluster;
  const properties = [
    ["clientID", status?.effective?.clientID],
    ["platform", status?.platform],
    ["protocol", status?.effective?.protocol],
  ].flatMap(([name, value]) => (value === undefined ? [] : [{ name: `rollcall.dev/${name}`, value }]));
  return {
    object: {
      apiVersion: apiVersionOf(resourceTypes.clusterProfile),
      kind: resourceTypes.clusterProfile.kind,
      metadata: {
        name: metadata.name,
        namespace: metadata.namespace ?? "",
        labels: { ...ownLabels(cluster), ...publishedLabels(cluster), "x-k8s.io/cluster-manager": clusterManager },
        ...ownAnnotations(cluster),
      },
      spec: { displayName: spec?.displayName ?? metadata.name, clusterManager: { name: clusterManager } },
    },
    status: {
      ...(status?.kubernetesVersion === undefined ? {} : { version: { kubernetes: status.kubernetesVersion } }),
      ...(properties.length === 0 ? {} : { properties }),
      conditions: [
        { ...conditionOf(cluster, "Healthy"), type: "ControlPlaneHealthy" },
        { ...conditionOf(cluster, "Joined"), type: "Joined" },
      ],
    },
  };
}

/**
 * Both conditions are there from the start: clients in Go write a missing list as null, which the definition refuses. A
 * generation would be that of the Cluster, and clients compare it with that of the profile.
 */
function conditionOf({ metadata, status }: Cluster, type: string): Condition {
  const found = findCondition(status?.conditions, type);
  if (found !== undefined) {
    const { observedGeneration: _ofCluster, ...condition } = found;
    return condition;
  }
  const { creationTimestamp } = metadata as { creationTimestamp?: string };
  const lastTransitionTime = creationTimestamp ?? "1970-01-01T00:00:00Z";
  return { type, status: "Unknown", reason: "NotReported", message: "The hub has no report yet.", lastTransitionTime };
}

/**
 * The names that the Secrets of a Cluster can have. Workspace `a-b` with cluster `c` and workspace `a` with cluster `b-c`
 * have one short name; no two clusters have one long name.
 */
export function publishedNames({ metadata }: Cluster): { readonly short: string; readonly long: string } {
  const { namespace = "", name } = metadata;
  return { short: `${namespace}-${name}`, long: `${namespace}.${name}` };
}

/** The other Clusters that have the same short name, as workspace and name; whether they exist is not known here. */
export function namesakes({ metadata }: Cluster): readonly { readonly workspace: string; readonly name: string }[] {
  const { namespace = "", name } = metadata;
  const parts = `${namespace}-${name}`.split("-");
  return parts
    .slice(1)
    .map((_part, index) => ({ workspace: parts.slice(0, index + 1).join("-"), name: parts.slice(index + 1).join("-") }))
    .filter(({ workspace }) => workspace !== namespace);
}

export function argoSecretName(publishedName: string): string {
  return `cluster-${publishedName}`;
}

export function fluxSecretName(publishedName: string): string {
  return `${publishedName}-kubeconfig`;
}

/** The name by which Argo CD itself calls the cluster that it runs in. Source: Argo CD, declarative setup, clusters. */
export const argoOwnName = "in-cluster";

/** Where a Secret is published, and the published name of its Cluster. */
export interface SecretPlace {
  readonly namespace: string;
  readonly publishedName: string;
}

/** The Secret by which Argo CD knows a cluster. Source: Argo CD, operator manual, declarative setup, clusters. */
export function argoClusterSecret(
  cluster: Cluster,
  { namespace, publishedName }: SecretPlace,
  access: ClusterAccess,
): KubeObject {
  const { server, token, caPem, certPem, keyPem, tlsServerName, proxyUrl, disableCompression } = access;
  const config = {
    ...(token === undefined ? {} : { bearerToken: token }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(disableCompression === true ? { disableCompression } : {}),
    tlsClientConfig: {
      insecure: false,
      ...(caPem === undefined ? {} : { caData: encode(caPem) }),
      ...(certPem === undefined ? {} : { certData: encode(certPem) }),
      ...(keyPem === undefined ? {} : { keyData: encode(keyPem) }),
      ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
    },
  };
  const labels = { ...ownLabels(cluster), "argocd.argoproj.io/secret-type": "cluster" };
  return secret(
    cluster,
    { namespace, name: argoSecretName(publishedName), labels },
    { name: publishedName, server, config: JSON.stringify(config) },
  );
}

/** The kubeconfig Secret that Flux's `kubeConfig.secretRef` names. Source: Flux, Kustomization, remote clusters. */
export function fluxKubeconfigSecret(
  cluster: Cluster,
  { namespace, publishedName }: SecretPlace,
  access: ClusterAccess,
): KubeObject {
  const labels = { ...ownLabels(cluster), "reconcile.fluxcd.io/watch": "Enabled" };
  return secret(
    cluster,
    { namespace, name: fluxSecretName(publishedName), labels },
    { value: publishedKubeconfig(access) },
  );
}

function secret(
  cluster: Cluster,
  metadata: { readonly namespace: string; readonly name: string; readonly labels: Record<string, string> },
  values: Readonly<Record<string, string>>,
): KubeObject {
  const labels = { ...metadata.labels, ...publishedLabels(cluster) };
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encode(value)]));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...metadata, labels, ...ownAnnotations(cluster) },
    type: "Opaque",
    data,
  };
}

/** Labels of the file: other tools select by them. Labels of systems mean something to those, and are left out. */
function ownLabels({ metadata }: Cluster): Record<string, string> {
  return withoutSystems(metadata.labels ?? {});
}

/** Annotations of the file, for generators that read them. */
function ownAnnotations({ metadata }: Cluster): { readonly annotations?: Record<string, string> } {
  const annotations = withoutSystems(metadata.annotations ?? {});
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** The tools that read published objects: their labels would claim the object or change how they handle it. */
const readerDomains = ["argoproj.io", "fluxcd.io"] as const;

function withoutSystems(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => !isReservedLabelKey(key) && !isOfReader(key)));
}

function isOfReader(key: string): boolean {
  const [prefix = "", name] = key.toLowerCase().split("/");
  return name !== undefined && readerDomains.some((domain) => prefix === domain || prefix.endsWith(`.${domain}`));
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
