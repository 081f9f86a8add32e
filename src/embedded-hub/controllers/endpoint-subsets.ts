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
  readonly ready: JsonObject[];
  readonly notReady: JsonObject[];
}

/**
 * The subsets of a Service's Endpoints: Pods with the same ports together, ready ones and others apart, in the order of
 * their addresses. Source: Kubernetes, pkg/controller/endpoint, pkg/api/v1/endpoints RepackSubsets.
 */
export function endpointSubsets(service: KubeObject, pods: readonly KubeObject[]): readonly JsonObject[] {
  const [family = "IPv4"] = familiesOf(service);
  const subsets = new Map<string, Subset>();
  for (const pod of pods) {
    const ip = podAddress(pod, family);
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    if (ip === undefined || (isLeaving && !publishesNotReady(service))) continue;
    const ports = portsOf(service, pod);
    if (ports === undefined) continue;
    const key = canonicalJson(ports);
    const subset = subsets.get(key) ?? { ports, ready: [], notReady: [] };
    subsets.set(key, subset);
    const isReady = publishesNotReady(service) || podReadySinceMs(pod) !== undefined;
    (isReady ? subset.ready : subset.notReady).push(addressOf(service, pod, ip));
  }
  return [...subsets.keys()].sort().flatMap((key) => {
    const subset = subsets.get(key);
    return subset === undefined ? [] : [written(subset)];
  });
}

function written({ ready, notReady, ports }: Subset): JsonObject {
  return {
    ...(ready.length === 0 ? {} : { addresses: ready.sort(byAddress) }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.sort(byAddress) }),
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
  return ports.length === 0 ? undefined : ports.sort((a, b) => (portHash(a) < portHash(b) ? -1 : 1));
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
  const [left, right] = [a, b].map((one) => `${textAt(one, "ip") ?? ""} ${textAt(one, "targetRef", "uid") ?? ""}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}
