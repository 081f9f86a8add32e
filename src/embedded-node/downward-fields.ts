import { ownValue } from "../core/own-value.ts";
import { textAt, textMapAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import type { KubeObject } from "./node-types.ts";

/** Facts of the node that a container may ask for. */
export interface NodeFacts {
  readonly nodeName: string;
  readonly address: string;
}

/**
 * The value of a downward API field of the Pod, or undefined when there is no such field.
 * Source: Kubernetes documentation, "Available fields" of the downward API.
 */
export function downwardField(pod: KubeObject, fieldPath: string, node: NodeFacts): string | undefined {
  const { name, namespace = "", uid = "", labels = {}, annotations = {} } = pod.metadata;
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/u.exec(fieldPath) ?? [];
  if (map !== undefined && key !== undefined) return (map === "labels" ? labels : annotations)[key] ?? "";
  switch (fieldPath) {
    case "metadata.name":
      return name;
    case "metadata.namespace":
      return namespace;
    case "metadata.uid":
      return uid;
    case "metadata.labels":
      return formatMap(labels);
    case "metadata.annotations":
      return formatMap(annotations);
    case "spec.nodeName":
      return node.nodeName;
    case "spec.serviceAccountName":
      return textAt(pod, "spec", "serviceAccountName") ?? "default";
    case "status.hostIP":
    case "status.hostIPs":
    case "status.podIP":
    case "status.podIPs":
      return node.address;
    default:
      return undefined;
  }
}

/** What `resourceFieldRef` asks for of one container: requests and limits in the unit of the divisor. */
export function resourceField(container: JsonObject | undefined, resource: string, divisor: string): string {
  const [kind = "", name = ""] = resource.split(".", 2);
  const declared = textMapAt(container, kind)[name] ?? textMapAt(container, "limits")[name];
  const amount = parseQuantity(declared ?? "0");
  const unit = parseQuantity(divisor === "" || divisor === "0" ? "1" : divisor);
  return String(Math.ceil(amount / (unit === 0 ? 1 : unit)));
}

const factors: Readonly<Record<string, number>> = {
  "": 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

function parseQuantity(text: string): number {
  const [, amount = "0", suffix = ""] = /^([\d.]+)([A-Za-z]*)$/u.exec(text) ?? [];
  return Number(amount) * (ownValue(factors, suffix) ?? 1);
}

function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}
