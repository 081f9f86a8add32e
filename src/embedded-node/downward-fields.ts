import { ownValue } from "../core/own-value.ts";
import { divideUp, isQuantityError, parseQuantity } from "../core/formats/quantity.ts";
import { objectsAt, textAt, textMapAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import type { KubeObject } from "./node-types.ts";
import { missingSource } from "./read-sources.ts";

/** Facts of the node that a container may ask for. */
export interface NodeFacts {
  readonly nodeName: string;
  readonly address: string;
  /** What containers without limits may use, by resource. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/**
 * The value of a downward API field of the Pod. Throws E_KUBE_NOT_FOUND when there is no such field.
 * Source: Kubernetes documentation, "Available fields" of the downward API.
 */
export function downwardField(pod: KubeObject, fieldPath: string, node: NodeFacts): string {
  const { name, namespace = "", uid = "", labels = {}, annotations = {} } = pod.metadata;
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/u.exec(fieldPath) ?? [];
  if (map !== undefined && key !== undefined) return ownValue(map === "labels" ? labels : annotations, key) ?? "";
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
      throw missingSource(`unsupported fieldPath: ${fieldPath}`);
  }
}

/**
 * What `resourceFieldRef` asks for, in the unit of the divisor: of the container that it names, else of `ownName`. A container
 * without a limit has that of the node. Source: Kubernetes, pkg/api/v1/resource/helpers.go.
 */
export function resourceField(pod: KubeObject, reference: JsonObject, node: NodeFacts, ownName = ""): string {
  const containerName = textAt(reference, "containerName") ?? "";
  const container = [...objectsAt(pod, "spec", "containers"), ...objectsAt(pod, "spec", "initContainers")].find(
    (one) => textAt(one, "name") === (containerName === "" ? ownName : containerName),
  );
  const [kind = "", name = ""] = (textAt(reference, "resource") ?? "").split(".", 2);
  const limit = textMapAt(container, "resources", "limits")[name];
  const declared = nanosOf(textMapAt(container, "resources", kind)[name] ?? limit ?? "0");
  const amount = declared === 0n && kind === "limits" ? nanosOf(node.allocatable[name] ?? "0") : declared;
  const divisor = textAt(reference, "divisor") ?? "";
  const unit = nanosOf(divisor === "" || divisor === "0" ? "1" : divisor);
  return String(divideUp(amount, unit === 0n ? nanosOf("1") : unit));
}

/** In units of 10^-9, which divide without a remainder that is lost; the API server refused what is no quantity. */
function nanosOf(text: string): bigint {
  const quantity = parseQuantity(text);
  return isQuantityError(quantity) ? 0n : quantity.nanos;
}

function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}
