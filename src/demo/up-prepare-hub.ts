import type { KubeApi } from "../kube/kube.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { labelKeys } from "../model/well-known.ts";
import { installHub, namespaceNamed } from "../install/install-hub.ts";
import type { DownstreamCluster } from "./up-downstream-cluster.ts";

const fieldManager = "rollcall-up";

/** Makes what a chart and a person would make on a hub: definitions, namespaces, workspaces. */
export async function prepareHub(
  hubApi: KubeApi,
  options: { readonly namespace: string; readonly workspaces: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const { namespace, workspaces, signal } = options;
  await installHub(hubApi, namespace, signal);
  for (const name of workspaces)
    await hubApi.apply(namespaceNamed(name, { [labelKeys.workspace]: "true" }), { fieldManager, signal });
}

/** Stores a cluster's kubeconfig in the Secret that its Cluster names; users do this manually or by SOPS file. */
export async function storeKubeconfig(
  hubApi: KubeApi,
  cluster: Cluster,
  downstream: DownstreamCluster,
  signal: AbortSignal,
): Promise<void> {
  const ref = cluster.spec?.kubeConfigSecretRef;
  if (!ref) return;
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: ref.name, namespace: cluster.metadata.namespace ?? "default" },
    type: "Opaque",
    data: { [ref.key ?? "value"]: Buffer.from(downstream.kubeconfig).toString("base64") },
  };
  await hubApi.apply(secret, { fieldManager, signal });
}
