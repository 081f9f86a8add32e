import { isIPv6 } from "node:net";
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, numberAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { LabelRequirement } from "../selectors/object-selector.ts";
import { requirementsOf } from "../selectors/object-selector.ts";
import { validateTargetAddress } from "../validation/checks-network.ts";
import { isPodFinished } from "./pod-facts.ts";

/** What Endpoints and EndpointSlices of a Service have in common. Source: Kubernetes, staging endpointslice/util. */

export const headlessLabel = "service.kubernetes.io/headless";

export type AddressFamily = "IPv4" | "IPv6";

/** Whether the hub keeps the endpoints of a Service: it has a selector, and an address or no need of one. */
export function hasOwnEndpoints(service: KubeObject): boolean {
  return Object.keys(selectorOf(service)).length > 0 && textAt(service, "spec", "type") !== "ExternalName";
}

/** What the Pods of a Service are found by; undefined when the hub does not keep its endpoints. */
export function requirementsOfService(service: KubeObject): readonly LabelRequirement[] | undefined {
  return hasOwnEndpoints(service) ? requirementsOf({ matchLabels: selectorOf(service) }) : undefined;
}

export function isHeadless(service: KubeObject): boolean {
  const address = textAt(service, "spec", "clusterIP") ?? "";
  return address === "" || address === "None";
}

export function publishesNotReady(service: KubeObject): boolean {
  return isTrueAt(service, "spec", "publishNotReadyAddresses");
}

/** The families that a Service has; the first one is that of its Endpoints. */
export function familiesOf(service: KubeObject): readonly AddressFamily[] {
  const families = textsAt(service, "spec", "ipFamilies").map((one): AddressFamily =>
    one === "IPv6" ? "IPv6" : "IPv4",
  );
  return families.length === 0 ? ["IPv4"] : families;
}

/**
 * The first address of a Pod in a family, or undefined: it has none yet, or it is finished, or endpoints cannot hold the
 * address. Pods that are processes on this machine have its loopback address.
 */
export function podAddress(pod: KubeObject, family: AddressFamily): string | undefined {
  if (isPodFinished(pod)) return undefined;
  const listed = objectsAt(pod, "status", "podIPs").map((item) => textAt(item, "ip") ?? "");
  const addresses = listed.length > 0 ? listed : [textAt(pod, "status", "podIP") ?? ""];
  return addresses.find(
    (address) =>
      address !== "" && isIPv6(address) === (family === "IPv6") && validateTargetAddress(address, "").length === 0,
  );
}

/** The number of the Pod's port that a Service's port names; undefined when no container has that name. */
export function targetPortOf(pod: KubeObject, port: JsonObject): number | undefined {
  const target = port["targetPort"] ?? numberAt(port, "port");
  if (typeof target === "number") return target;
  const sidecars = objectsAt(pod, "spec", "initContainers").filter((one) => one["restartPolicy"] === "Always");
  const named = [...objectsAt(pod, "spec", "containers"), ...sidecars]
    .flatMap((container) => objectsAt(container, "ports"))
    .find((one) => one["name"] === target && (one["protocol"] ?? "TCP") === (port["protocol"] ?? "TCP"));
  return numberAt(named, "containerPort");
}

/** The Pod's own name below a headless Service; undefined when it has none. */
export function hostnameOf(pod: KubeObject, service: KubeObject): string | undefined {
  const hostname = textAt(pod, "spec", "hostname") ?? "";
  return hostname !== "" && textAt(pod, "spec", "subdomain") === service.metadata.name ? hostname : undefined;
}

export function podReference({ metadata }: KubeObject): JsonObject {
  const { namespace = "", name, uid = "" } = metadata;
  return { kind: "Pod", namespace, name, uid };
}

function selectorOf(service: KubeObject): Readonly<Record<string, string>> {
  return textMapAt(service, "spec", "selector");
}
