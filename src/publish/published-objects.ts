import { findCondition } from "../planning/conditions.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { isReservedLabelKey, labelKeys } from "../model/well-known.ts";

/** How a cluster is reached, from its kubeconfig. PEM. */
export interface ClusterAccess {
  readonly server: string;
  readonly caPem?: string | undefined;
  readonly certPem?: string | undefined;
  readonly keyPem?: string | undefined;
  readonly token?: string | undefined;
  readonly tlsServerName?: string | undefined;
}

/** Who publishes, in the words of the Cluster Inventory API. */
const clusterManager = "rollcall";

/** Labels by which a published object is found again; its own ones, so that nobody takes it for a member's child. */
export function publishedLabels(cluster: Cluster): Record<string, string> {
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
  const healthy = findCondition(status?.conditions, "Healthy");
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
      },
      spec: { displayName: spec?.displayName ?? metadata.name, clusterManager: { name: clusterManager } },
    },
    status: {
      ...(status?.kubernetesVersion === undefined ? {} : { version: { kubernetes: status.kubernetesVersion } }),
      ...(properties.length === 0 ? {} : { properties }),
      ...(healthy === undefined ? {} : { conditions: [{ ...healthy, type: "ControlPlaneHealthy" }] }),
    },
  };
}

/** The Secret by which Argo CD knows a cluster. Source: Argo CD, operator manual, declarative setup, clusters. */
export function argoClusterSecret(cluster: Cluster, namespace: string, access: ClusterAccess): KubeObject {
  const { server, token, caPem, certPem, keyPem, tlsServerName } = access;
  const config = {
    ...(token === undefined ? {} : { bearerToken: token }),
    tlsClientConfig: {
      insecure: false,
      ...(caPem === undefined ? {} : { caData: encode(caPem) }),
      ...(certPem === undefined ? {} : { certData: encode(certPem) }),
      ...(keyPem === undefined ? {} : { keyData: encode(keyPem) }),
      ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
    },
  };
  const labels = { ...ownLabels(cluster), "argocd.argoproj.io/secret-type": "cluster" };
  const name = `${cluster.metadata.namespace}-${cluster.metadata.name}`;
  return secret(
    cluster,
    { namespace, name: `cluster-${name}`, labels },
    { name, server, config: JSON.stringify(config) },
  );
}

/** The kubeconfig Secret that Flux's `kubeConfig.secretRef` names. Source: Flux, Kustomization, remote clusters. */
export function fluxKubeconfigSecret(cluster: Cluster, namespace: string, kubeconfig: string): KubeObject {
  const name = `${cluster.metadata.namespace}-${cluster.metadata.name}-kubeconfig`;
  return secret(cluster, { namespace, name, labels: ownLabels(cluster) }, { value: kubeconfig });
}

function secret(
  cluster: Cluster,
  metadata: { readonly namespace: string; readonly name: string; readonly labels: Record<string, string> },
  values: Readonly<Record<string, string>>,
): KubeObject {
  const labels = { ...metadata.labels, ...publishedLabels(cluster) };
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encode(value)]));
  return { apiVersion: "v1", kind: "Secret", metadata: { ...metadata, labels }, type: "Opaque", data };
}

/** What people said of the cluster: others select by it. Labels of systems mean something to them, and stay. */
function ownLabels({ metadata }: Cluster): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata.labels ?? {}).filter(
      ([key]) => !isReservedLabelKey(key) && !key.split("/")[0]?.endsWith("argoproj.io"),
    ),
  );
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
