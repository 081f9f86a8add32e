import type { JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import { isKnownFormat } from "../../core/formats/named-formats.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** Texts for formats of texts that no API server checks. Those that the CRD had before are not named. */
export function warnOfFormats(crd: KubeObject, old: KubeObject | undefined): readonly string[] {
  const known = old === undefined ? new Set<string>() : unknownFormats(old);
  const added = [...unknownFormats(crd)].filter((format) => !known.has(format));
  return added.sort().map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(crd: KubeObject): Set<string> {
  const found = new Set<string>();
  for (const version of objectsAt(crd, "spec", "versions")) {
    const schema = objectAt(version, "schema", "openAPIV3Schema");
    if (schema !== undefined) collect(schema, found);
  }
  return found;
}

function collect(schema: JsonObject, found: Set<string>): void {
  const { properties, items, additionalProperties } = schema;
  const format = textAt(schema, "format") ?? "";
  if (format !== "" && textAt(schema, "type") === "string" && !isKnownFormat(format)) found.add(format);
  const below = [...(isJsonObject(properties) ? Object.values(properties) : []), items, additionalProperties];
  for (const one of below) if (isJsonObject(one)) collect(one, found);
}
