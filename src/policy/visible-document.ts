import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** What a document shows to rules: a Secret its keys, never its values. */
export function visibleDocument(object: KubeObject): JsonObject {
  // A document is read from JSON or YAML.
  const document = object as unknown as JsonObject;
  if (object.kind !== "Secret") return document;
  const { data, stringData, ...rest } = document;
  return { ...rest, ...masked("data", data), ...masked("stringData", stringData) };
}

function masked(name: string, values: Json | undefined): JsonObject {
  if (!isJsonObject(values)) return {};
  return { [name]: Object.fromEntries(Object.keys(values).map((key) => [key, ""])) };
}
