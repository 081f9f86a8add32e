import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

// The only places where the two views of one value meet: everything the verbs see was JSON once.

export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

/** For JSON that is known to have apiVersion, kind and metadata. */
export function asKubeObject(json: JsonObject): KubeObject {
  return json as unknown as KubeObject;
}
