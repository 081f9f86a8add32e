import type { JsonObject } from "../../core/json.ts";
import { canonicalJson, isJsonEqual } from "../../core/json.ts";
import { objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { groupAddresses } from "./endpoint-groups.ts";
import type { Address, AddressGroup } from "./endpoint-groups.ts";
import type { SlicePlan } from "./service-slices.ts";
import { managedByLabel, serviceNameLabel } from "./service-slices.ts";

/** Value of the label `endpointslice.kubernetes.io/managed-by` of mirrored slices. */
export const mirrorManager = "endpointslicemirroring-controller.k8s.io";
/** The most addresses of one slice. Further ones of the same ports are not mirrored, as in kube-controller-manager. */
export const mirrorCapacity = 1000;

const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
const notMirrored = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];

/** Whether Endpoints want to be mirrored: no label forbids it, and they are not the record of a leader. */
export function wantsMirror({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  return labels[skipLabel] !== "true" && annotations[leaderAnnotation] === undefined;
}

/** Writes that bring the slices of Endpoints up to date. */
export interface MirrorPlan extends SlicePlan {
  /** How many addresses have no place. */
  readonly left: number;
}

/**
 * What makes the slices of Endpoints right: one for each set of ports and family of addresses. A slice that would be
 * deleted becomes one that would be created. Source: Kubernetes, pkg/controller/endpointslicemirroring.
 */
export function planMirror(endpoints: KubeObject, slices: readonly KubeObject[]): MirrorPlan {
  const free = [...slices];
  const take = (fits: (slice: KubeObject) => boolean): KubeObject | undefined => {
    const index = free.findIndex(fits);
    return index < 0 ? undefined : free.splice(index, 1)[0];
  };
  const grouped = groupAddresses(endpoints);
  const groups = grouped.groups.map((group) => ({
    ...group,
    own: take((slice) => slice["addressType"] === group.family && samePorts(slice, group.ports)),
  }));
  const create: KubeObject[] = [];
  const update: KubeObject[] = [];
  for (const { family, ports, addresses, own } of groups) {
    const live = own ?? take((slice) => slice["addressType"] === family);
    const wanted = sliceOf(endpoints, live, { family, ports, addresses: addresses.slice(0, mirrorCapacity) });
    if (live === undefined) create.push(wanted);
    else if (!isJsonEqual(live, wanted)) update.push(withoutPrefix(wanted));
  }
  const left = groups.map(({ addresses }) => Math.max(0, addresses.length - mirrorCapacity));
  return { create, update, remove: free, left: left.reduce((sum, count) => sum + count, grouped.left) };
}

/** A changed slice no longer contains the prefix that its name was generated from. */
function withoutPrefix(slice: KubeObject): KubeObject {
  const { generateName: _, ...metadata } = slice.metadata;
  return { ...slice, metadata };
}

function samePorts(slice: KubeObject, ports: readonly JsonObject[]): boolean {
  const keysOf = (items: readonly JsonObject[]): string =>
    items
      .map((item) => canonicalJson(item))
      .sort()
      .join();
  return keysOf(objectsAt(slice, "ports")) === keysOf(ports);
}

function sliceOf(
  endpoints: KubeObject,
  live: KubeObject | undefined,
  { family, ports, addresses }: AddressGroup,
): KubeObject {
  const { name, namespace, uid = "", labels = {}, annotations = {} } = endpoints.metadata;
  const kept = Object.entries(annotations).filter(([key]) => !notMirrored.includes(key));
  const { annotations: _old, ...metadata } = live?.metadata ?? {
    // The server makes the name from generateName.
    name: "",
    generateName: `${name}-`,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const livePorts = live !== undefined && samePorts(live, ports) ? live["ports"] : undefined;
  return {
    ...(live ?? { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" }),
    metadata: {
      ...metadata,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirrorManager },
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
      ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType: family,
    endpoints: addresses.map(endpointOf),
    ports: livePorts ?? (ports.length === 0 ? null : ports),
  };
}

function endpointOf({ address, isReady }: Address): JsonObject {
  const { ip = "", hostname, nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready: isReady },
    ...(hostname === undefined || hostname === "" ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}
