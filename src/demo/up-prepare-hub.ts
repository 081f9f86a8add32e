import { randomUUID } from "node:crypto";
import process from "node:process";
import { textAt } from "../core/read-json.ts";
import { leaseNames } from "../daemon/leadership.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
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

/** Of the demo's daemon, which holds the Leases as every other one: a command that needs the hub for itself is refused. */
export function demoIdentity(): string {
  return `${identityStart}${process.pid}-${randomUUID().slice(0, 8)}`;
}

const identityStart = "rollcall-up-";

/** Ends the Leases of an earlier demo that was killed: no other one has the folder of this hub. */
export async function endDemoLeases(hubApi: KubeApi, namespace: string, signal: AbortSignal): Promise<void> {
  for (const name of Object.values(leaseNames)) {
    const ref = { type: resourceTypes.lease, namespace, name };
    const holder = textAt(await hubApi.get(ref, { signal }), "spec", "holderIdentity");
    if (holder?.startsWith(identityStart)) await hubApi.delete(ref, { signal });
  }
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
