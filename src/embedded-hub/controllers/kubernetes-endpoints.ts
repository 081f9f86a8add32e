import { isIPv6 } from "node:net";
import { isJsonEqual } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Operations } from "../operations/operations.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";

const place = { namespace: "default", name: "kubernetes" } as const;

export interface HubAddress {
  /** Undefined when only programs on this machine reach the hub: endpoints cannot hold a loopback address. */
  readonly address: string | undefined;
  readonly port: number;
}

/**
 * Keeps the Endpoints and the EndpointSlice of the Service `default/kubernetes`: where the hub listens. Right ones are not
 * written. Source: Kubernetes, pkg/controlplane/reconcilers.
 */
export async function keepKubernetesEndpoints(operations: Operations, hub: HubAddress): Promise<void> {
  const writer = hubWriter(operations, "kube-apiserver", "kube-apiserver");
  await keep(writer, "", "endpoints", endpointsOf(hub));
  const slice = sliceOf(hub);
  const live = writer.get("discovery.k8s.io", "endpointslices", place);
  // The type of a slice cannot be changed.
  if (live !== undefined && live["addressType"] !== slice["addressType"]) await writer.remove(live);
  await keep(writer, "discovery.k8s.io", "endpointslices", slice);
}

async function keep(writer: HubWriter, group: string, plural: string, wanted: KubeObject): Promise<void> {
  const live = writer.get(group, plural, place);
  if (live === undefined) {
    await writer.create(wanted);
    return;
  }
  const { subsets: _subsets, endpoints: _endpoints, ports: _ports, ...kept } = live;
  const { metadata, ...content } = wanted;
  const labels = { ...live.metadata.labels, ...metadata.labels };
  const merged = { ...kept, ...content, metadata: { ...live.metadata, labels } };
  if (!isJsonEqual(merged, live)) await writer.update(merged);
}

function endpointsOf({ address, port }: HubAddress): KubeObject {
  const ports = [{ name: "https", port, protocol: "TCP" }];
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    // Without the label another controller would make a second slice of it.
    metadata: { ...place, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    ...(address === undefined ? {} : { subsets: [{ addresses: [{ ip: address }], ports }] }),
  };
}

function sliceOf({ address, port }: HubAddress): KubeObject {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...place, labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: address !== undefined && isIPv6(address) ? "IPv6" : "IPv4",
    endpoints: address === undefined ? null : [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
}
