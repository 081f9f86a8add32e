import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

/** An object of a kind in the form of another version of it. */
export function inVersion(object: KubeObject, from: ResourceDefinition, to: ResourceDefinition): KubeObject {
  if (from === to) return object;
  const stored = from.storage.toStored?.(object) ?? object;
  const shown = to.storage.toServed?.(stored) ?? stored;
  return { ...shown, apiVersion: apiVersionOf(to) };
}
