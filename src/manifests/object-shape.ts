import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { KubeObject, ObjectMeta } from "../model/kubernetes.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath, showText } from "./schema-finding.ts";

const namePattern = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/u;
const namespacePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u;

export interface ShapeOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

/**
 * The object of a document whose schema is not ours, reduced to what a file may declare: apiVersion, kind, name, namespace,
 * labels, annotations and everything else at the top but status. Findings report where it is no such object.
 */
export function readObject(
  value: JsonObject,
  { apiVersion, kind, isNamespaced }: ShapeOptions,
): { object: KubeObject | undefined; findings: SchemaFinding[] } {
  const findings: SchemaFinding[] = [];
  const { apiVersion: _apiVersion, kind: _kind, metadata, status: _status, ...rest } = value;
  if (!isJsonObject(metadata)) {
    findings.push({
      code: "E_SCHEMA",
      path: ["metadata"],
      part: "key",
      message: "metadata: must be a map with a name",
    });
    return { object: undefined, findings };
  }
  const meta = readMetadata(metadata, findings);
  if (meta.namespace !== undefined && !isNamespaced) {
    findings.push({
      code: "E_SCHEMA",
      path: ["metadata", "namespace"],
      part: "key",
      message: `metadata.namespace: ${kind} has no namespace`,
      fix: "Delete the field.",
    });
  }
  if (rest["spec"] !== undefined && !isJsonObject(rest["spec"])) {
    findings.push({
      code: "E_SCHEMA",
      path: ["spec"],
      part: "value",
      message: "spec: must be a map of keys and values",
    });
  }
  if (findings.length > 0) return { object: undefined, findings };
  return { object: { apiVersion, kind, metadata: meta, ...rest }, findings };
}

function readMetadata(metadata: JsonObject, findings: SchemaFinding[]): ObjectMeta {
  const name = readText(metadata, "name", { pattern: namePattern, maxLength: 253, findings });
  if (name === undefined && findings.length === 0) {
    findings.push({ code: "E_SCHEMA", path: ["metadata"], part: "key", message: "metadata.name: is missing" });
  }
  const namespace = readText(metadata, "namespace", { pattern: namespacePattern, maxLength: 63, findings });
  const labels = readTexts(metadata, "labels", findings);
  const annotations = readTexts(metadata, "annotations", findings);
  return {
    name: name ?? "",
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

interface TextRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly findings: SchemaFinding[];
}

function readText(metadata: JsonObject, field: string, rule: TextRule): string | undefined {
  const value = metadata[field];
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length <= rule.maxLength && rule.pattern.test(value)) return value;
  const shown = typeof value === "string" ? showText(value) : "this value";
  rule.findings.push({
    code: "E_SCHEMA",
    path: ["metadata", field],
    part: "value",
    message: `metadata.${field}: ${shown} is no ${field} of an object`,
    fix:
      typeof value === "number" || typeof value === "boolean"
        ? "Put the value in quotes."
        : `Use lower-case letters, digits and hyphens, at most ${rule.maxLength} characters.`,
  });
  return undefined;
}

function readTexts(metadata: JsonObject, field: string, findings: SchemaFinding[]): Record<string, string> | undefined {
  const value: Json | undefined = metadata[field];
  if (value === undefined || value === null) return undefined;
  const wrong = isJsonObject(value) ? Object.keys(value).find((key) => typeof value[key] !== "string") : undefined;
  if (isJsonObject(value) && wrong === undefined) return value as Record<string, string>;
  const path = ["metadata", field, ...(wrong === undefined ? [] : [wrong])];
  const base = { code: "E_SCHEMA", path, part: "value" } as const;
  findings.push(
    wrong === undefined
      ? { ...base, message: `${describePath(path)}: must be a map of texts` }
      : { ...base, message: `${describePath(path)}: must be text`, fix: "Put the value in quotes." },
  );
  return undefined;
}
