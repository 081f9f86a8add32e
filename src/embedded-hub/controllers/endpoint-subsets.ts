import { createHash } from "node:crypto";
import type { JsonObject } from "../../core/json.ts";
import { canonicalJson } from "../../core/json.ts";
import { numberAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { podReadySinceMs } from "./pod-facts.ts";
import {
  familiesOf,
  hostnameOf,
  isHeadless,
  podAddress,
  podReference,
  publishesNotReady,
  targetPortOf,
} from "./service-pods.ts";

/** The most addresses of one Endpoints object. */
export const endpointsCapacity = 1000;

interface Subset {
  readonly ports: readonly JsonObject[];
  readonly ready: readonly JsonObject[];
  readonly notReady: readonly JsonObject[];
}

/**
 * The subsets of a Service's Endpoints: ports that the same Pods have together, ready Pods and others apart, in the order of
 * their addresses. Source: Kubernetes, pkg/controller/endpoint, pkg/api/v1/endpoints RepackSubsets.
 */
export function endpointSubsets(service: KubeObject, pods: readonly KubeObject[]): readonly JsonObject[] {
  const groups = new Map<string, { ports: JsonObject[]; ready: JsonObject[]; notReady: JsonObject[] }>();
  for (const { port, ready, notReady } of addressesByPort(service, pods)) {
    const key = JSON.stringify([ready, notReady].map((addresses) => addresses.map(addressKey)));
    const group = groups.get(key) ?? { ports: [], ready, notReady };
    groups.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  return [...groups.values()]
    .map((group) => ({ ...group, ports: group.ports.sort((one, other) => (portHash(one) < portHash(other) ? -1 : 1)) }))
    .sort((one, other) => (canonicalJson(one.ports) < canonicalJson(other.ports) ? -1 : 1))
    .map(written);
}

/** Each port, or none, with the addresses of the Pods that have it. */
function addressesByPort(service: KubeObject, pods: readonly KubeObject[]) {
  const [family = "IPv4"] = familiesOf(service);
  const byPort = new Map<string, { port: JsonObject | undefined; ready: JsonObject[]; notReady: JsonObject[] }>();
  for (const pod of pods) {
    const ip = podAddress(pod, family);
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    if (ip === undefined || (isLeaving && !publishesNotReady(service))) continue;
    const ports = portsOf(service, pod);
    const isReady = publishesNotReady(service) || podReadySinceMs(pod) !== undefined;
    for (const port of ports?.length === 0 ? [undefined] : (ports ?? [])) {
      const key = port === undefined ? "" : canonicalJson(port);
      const of = byPort.get(key) ?? { port, ready: [], notReady: [] };
      byPort.set(key, of);
      (isReady ? of.ready : of.notReady).push(addressOf(service, pod, ip));
    }
  }
  return byPort.values();
}

function written({ ready, notReady, ports }: Subset): JsonObject {
  return {
    ...(ready.length === 0 ? {} : { addresses: [...ready].sort(byAddress) }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: [...notReady].sort(byAddress) }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

/** The first addresses that fit into one object: of each subset the ready ones first. */
export function cutToCapacity(subsets: readonly JsonObject[]): readonly JsonObject[] {
  let left = endpointsCapacity;
  const take = (addresses: readonly JsonObject[]): readonly JsonObject[] => {
    const taken = addresses.slice(0, left);
    left -= taken.length;
    return taken;
  };
  return subsets.flatMap((subset) => {
    const addresses = take(objectsAt(subset, "addresses"));
    const notReadyAddresses = take(objectsAt(subset, "notReadyAddresses"));
    if (addresses.length + notReadyAddresses.length === 0) return [];
    const { ports } = subset;
    return [
      {
        ...(addresses.length === 0 ? {} : { addresses }),
        ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
        ...(ports === undefined ? {} : { ports }),
      },
    ];
  });
}

/** Undefined when none of the Service's ports is one of the Pod's. A headless Service needs none. */
function portsOf(service: KubeObject, pod: KubeObject): readonly JsonObject[] | undefined {
  const declared = objectsAt(service, "spec", "ports");
  if (declared.length === 0) return isHeadless(service) ? [] : undefined;
  const ports = declared.flatMap((port) => {
    const number = targetPortOf(pod, port);
    const name = textAt(port, "name") ?? "";
    const appProtocol = textAt(port, "appProtocol");
    return number === undefined
      ? []
      : [
          {
            ...(name === "" ? {} : { name }),
            port: number,
            protocol: textAt(port, "protocol") ?? "TCP",
            ...(appProtocol === undefined ? {} : { appProtocol }),
          },
        ];
  });
  return ports.length === 0 ? undefined : ports;
}

/** kube-controller-manager's order of ports is that of the MD5 sums of how Go shows them. */
function portHash(port: JsonObject): string {
  const appProtocol = textAt(port, "appProtocol");
  const shown =
    `(v1.EndpointPort){Name:(string)${textAt(port, "name") ?? ""} Port:(int32)${numberAt(port, "port") ?? 0} ` +
    `Protocol:(v1.Protocol)${textAt(port, "protocol") ?? ""} ` +
    `AppProtocol:(*string)${appProtocol === undefined ? "<nil>" : appProtocol}}`;
  return createHash("md5").update(shown).digest("hex");
}

function addressOf(service: KubeObject, pod: KubeObject, ip: string): JsonObject {
  const hostname = hostnameOf(pod, service);
  const nodeName = textAt(pod, "spec", "nodeName") ?? "";
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === "" ? {} : { nodeName }),
    targetRef: podReference(pod),
  };
}

function byAddress(a: JsonObject, b: JsonObject): number {
  return addressKey(a) < addressKey(b) ? -1 : 1;
}

function addressKey(address: JsonObject): string {
  return `${textAt(address, "ip") ?? ""} ${textAt(address, "targetRef", "uid") ?? ""}`;
}
