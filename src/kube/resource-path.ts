import { AppError } from "../core/errors.ts";
import type { ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { apiVersionOf, describeRef } from "../model/kubernetes.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a collection: of one namespace, of all of them, or of a cluster-scoped kind. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const base = type.group === "" ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  if (namespace === undefined || !type.isNamespaced) return `${base}/${type.plural}`;
  return `${base}/namespaces/${segment(namespace, type.kind)}/${type.plural}`;
}

/** The path of one object. Throws E_KUBE_INVALID when a namespaced object has no namespace, or a name is no name. */
export function objectPath(ref: ObjectRef, subresource?: string): string {
  if (ref.type.isNamespaced && ref.namespace === undefined) {
    throw new AppError("E_KUBE_INVALID", `${describeRef(ref)}: ${ref.type.kind} needs a namespace`);
  }
  const path = `${collectionPath(ref.type, ref.namespace)}/${segment(ref.name, ref.type.kind)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The path with a query of those entries that are neither undefined nor false. */
export function withQuery(path: string, query: Query): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== false);
  if (entries.length === 0) return path;
  return `${path}?${entries.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&")}`;
}

/** A name as one segment of a path; a name can never lead to another resource. */
function segment(name: string, kind: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/")) {
    throw new AppError("E_KUBE_INVALID", `${kind}: ${JSON.stringify(name)} is not a name`);
  }
  return encodeURIComponent(name);
}
