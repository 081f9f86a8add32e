import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { objectAt } from "../core/read-json.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath, showText } from "./schema-finding.ts";

const maxAnnotationsSizeBytes = 256 * 1024;
const maxPrefixLength = 253;
const prefixPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;
const namePattern = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u;

/** Where labels and annotations of objects on the hub come from. */
const labelPaths = [
  ["metadata", "labels"],
  ["spec", "labels"],
  ["spec", "clusterLabels"],
] as const;
const annotationPaths = [
  ["metadata", "annotations"],
  ["spec", "annotations"],
] as const;

/**
 * Checks keys of labels and annotations, and the size of annotations, as an API server does where a schema has no
 * limit. Source: Kubernetes, apimachinery, ValidateAnnotations and IsQualifiedName.
 */
export function checkMetadata(value: JsonObject): SchemaFinding[] {
  const labels = labelPaths.flatMap((path) => checkKeys(value, path, (key) => key));
  // Upper-case letters in the prefix of an annotation's key count as lower-case ones.
  const annotations = annotationPaths.flatMap((path) => [
    ...checkKeys(value, path, (key) => key.toLowerCase()),
    ...checkSize(value, path),
  ]);
  return [...labels, ...annotations];
}

function checkKeys(value: JsonObject, path: readonly string[], normalize: (key: string) => string): SchemaFinding[] {
  return Object.keys(objectAt(value, ...path) ?? {})
    .filter((key) => !isQualifiedName(normalize(key)))
    .map((key) => ({
      code: "E_SCHEMA",
      path: [...path, key],
      part: "key",
      message: `${describePath(path)}: the key ${showText(key)} is not allowed`,
      fix: "Use an optional DNS name with a slash, then at most 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends.",
    }));
}

function isQualifiedName(key: string): boolean {
  const parts = key.split("/");
  const name = parts.pop() ?? "";
  if (parts.length > 1 || !namePattern.test(name)) return false;
  const prefix = parts[0];
  return prefix === undefined || (prefix.length <= maxPrefixLength && prefixPattern.test(prefix));
}

function checkSize(value: JsonObject, path: readonly string[]): SchemaFinding[] {
  const annotations = objectAt(value, ...path);
  if (!isJsonObject(annotations)) return [];
  const sizeBytes = Object.entries(annotations).reduce(
    (sum, [key, text]) => sum + Buffer.byteLength(key) + (typeof text === "string" ? Buffer.byteLength(text) : 0),
    0,
  );
  if (sizeBytes <= maxAnnotationsSizeBytes) return [];
  const message = `${describePath(path)}: has ${sizeBytes} bytes, at most ${maxAnnotationsSizeBytes} are allowed`;
  return [{ code: "E_SCHEMA", path, part: "key", message, fix: "Shorten or remove annotations." }];
}
