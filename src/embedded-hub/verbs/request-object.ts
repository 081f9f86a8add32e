import { canonicalJson } from "../../core/json.ts";
import type { KubeObject, OwnerReference } from "../../model/kubernetes.ts";
import { badRequest } from "../failures/failures.ts";
import type { Target } from "../operations/operations.ts";

/** The object with the namespace of the request; throws 400 when it names another one. */
export function withRequestNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  const own = object.metadata.namespace ?? "";
  if (own === (namespace ?? "")) return object;
  if (namespace === undefined) {
    const { namespace: _, ...metadata } = object.metadata;
    return { ...object, metadata };
  }
  if (own === "") return { ...object, metadata: { ...object.metadata, namespace } };
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Throws 400 unless the object is the one that the URL names. */
export function checkRequestName(object: KubeObject, { name }: Target): void {
  const own = object.metadata.name ?? "";
  if (own === name) return;
  if (own === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

/** The object without owner references that occur in it twice, and a warning for those. */
export function withoutDuplicateOwners(
  object: KubeObject,
  warnings: string[],
  moment: "before admission" | "after admission",
): KubeObject {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return object;
  const kept = new Map<string, OwnerReference>();
  const duplicates: string[] = [];
  for (const owner of owners) {
    const text = canonicalJson(owner);
    if (kept.has(text)) duplicates.push(owner.uid);
    else kept.set(text, owner);
  }
  if (duplicates.length === 0) return object;
  const where = moment === "before admission" ? "" : " after mutating admission happens";
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${where}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...kept.values()] } };
}
