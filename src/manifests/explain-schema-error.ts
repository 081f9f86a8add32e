import { ownValue } from "../core/own-value.ts";
import type { ErrorObject } from "ajv";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { nearestName } from "../core/nearest-name.ts";
import { explainUnknownField } from "./explain-unknown-field.ts";
import { wordsOfPattern } from "./pattern-words.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath, pathOfPointer, showText } from "./schema-finding.ts";

/** If one value breaks several keywords, only the first of these is reported: the others follow from it. */
const keywordOrder = [
  "type",
  "anyOf",
  "enum",
  "minLength",
  "maxLength",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "uniqueItems",
];

/** More errors of one document are not useful, and finding the right name for each unknown field takes time. */
const maxErrors = 200;

/** Converts the errors of the schema's validator to plain texts, one finding for each mistake. */
export function explainSchemaErrors(errors: readonly ErrorObject[], schema: JsonObject): SchemaFinding[] {
  const findings = new Map<string, { rank: number; finding: SchemaFinding }>();
  for (const error of errors.slice(0, maxErrors)) {
    if (isEcho(error)) continue;
    const finding = explain(error, schema);
    const key = `${finding.part}${JSON.stringify(finding.path)}${isAboutMember(error) ? finding.message : ""}`;
    const rank = keywordOrder.indexOf(error.keyword);
    const other = findings.get(key);
    if (other === undefined || rank < other.rank) findings.set(key, { rank, finding });
  }
  return withoutMisspelt([...findings.values()].map(({ finding }) => finding));
}

/** True for errors that only report that another one happened. */
function isEcho(error: ErrorObject): boolean {
  return error.keyword === "propertyNames" || /\/anyOf\/\d+\//u.test(error.schemaPath);
}

function isAboutMember(error: ErrorObject): boolean {
  return error.keyword === "required" || error.keyword === "additionalProperties";
}

/** A field that is missing because it is misspelt is reported once. */
function withoutMisspelt(findings: readonly SchemaFinding[]): SchemaFinding[] {
  const misspelt = new Set(findings.flatMap(({ meant }) => (meant === undefined ? [] : [JSON.stringify(meant)])));
  return findings.filter(({ missing }) => missing === undefined || !misspelt.has(JSON.stringify(missing)));
}

function explain(error: ErrorObject, schema: JsonObject): SchemaFinding {
  const path = pathOfPointer(error.instancePath);
  const name = describePath(path) || "the document";
  const parent: JsonObject = isJsonObject(error.parentSchema) ? error.parentSchema : {};
  const params: Readonly<Record<string, unknown>> = error.params;
  if (error.keyword === "additionalProperties") {
    return explainUnknownField([...path, String(params["additionalProperty"])], parent, schema);
  }
  if (error.propertyName !== undefined) {
    const key = error.propertyName;
    const message = `${name}: the key ${valueMessage(error, parent, key)}`;
    return { code: "E_SCHEMA", path: [...path, key], part: "key", message, fix: fixOf(error, parent, key) };
  }
  if (error.keyword === "required") {
    const missing = [...path, String(params["missingProperty"])];
    return {
      code: "E_SCHEMA",
      path,
      part: "key",
      missing,
      message: `${describePath(missing)}: is missing`,
      fix: `Add ${describePath(missing)}${descriptionOf(parent, String(params["missingProperty"]))}`,
    };
  }
  const value: unknown = error.data;
  const message = `${name}: ${valueMessage(error, parent, value)}`;
  return { code: "E_SCHEMA", path, part: "value", message, fix: fixOf(error, parent, value) };
}

function valueMessage(error: ErrorObject, schema: JsonObject, value: unknown): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  const limit = String(params["limit"]);
  // A map or a list is not shown: its own key toString would replace the method.
  const shown = typeof value === "string" ? showText(value) : isPlain(value) ? String(value) : wordsOfValue(value);
  switch (error.keyword) {
    case "type":
      return value === null
        ? `has no value, it must be ${typeWords(schema["type"])}`
        : `must be ${typeWords(schema["type"])}, not ${wordsOfValue(value)}`;
    case "anyOf":
      return `must be ${anyOfWords(schema)}, not ${typeof value === "string" ? shown : wordsOfValue(value)}`;
    case "enum":
      return explainEnum(params["allowedValues"], value);
    case "pattern":
      return `${shown} is not allowed`;
    case "minLength":
      return value === "" ? "must not be empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `has ${[...(typeof value === "string" ? value : shown)].length} characters, at most ${limit} are allowed`;
    case "minimum":
      return `must be at least ${limit}, not ${shown}`;
    case "maximum":
      return `must be at most ${limit}, not ${shown}`;
    case "format":
      return `${shown} is out of the range of ${String(params["format"])}`;
    case "minItems":
    case "minProperties":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} entries`;
    case "maxItems":
    case "maxProperties":
      return `has too many entries, at most ${limit} are allowed`;
    case "uniqueItems":
      return `entries ${String(params["i"])} and ${String(params["j"])} (counted from 0) are equal`;
    default:
      return error.message ?? `breaks the rule ${error.keyword}`;
  }
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function explainEnum(allowed: unknown, value: unknown): string {
  const values = Array.isArray(allowed) ? allowed.map(String) : [];
  const nearest = typeof value === "string" ? nearestName(value, values) : undefined;
  const shown = typeof value === "string" ? showText(value) : wordsOfValue(value);
  const hint = nearest === undefined ? "" : `, did you mean ${nearest}?`;
  return `${shown} is not one of ${values.join(", ")}${hint}`;
}

function fixOf(error: ErrorObject, schema: JsonObject, value: unknown): string | undefined {
  const { minimum, maximum, pattern } = schema;
  switch (error.keyword) {
    case "type":
      return typeof value === "number" && isDuration(error, schema)
        ? fixOfDuration(value)
        : fixOfType(error.schema, value);
    case "enum": {
      const values = Array.isArray(error.schema) ? error.schema.map(String) : [];
      const nearest = typeof value === "string" ? nearestName(value, values) : undefined;
      return nearest === undefined ? "Use one of them." : `Write ${nearest}.`;
    }
    case "pattern": {
      // Keys have their pattern in the schema of names, values in their own.
      const words = wordsOfPattern(pattern ?? error.schema);
      return words === undefined ? undefined : `Use ${words}.`;
    }
    case "minimum":
    case "maximum":
      return typeof minimum === "number" && typeof maximum === "number"
        ? `Use a number from ${minimum} to ${maximum}.`
        : undefined;
    default:
      return undefined;
  }
}

/** True for a Go duration: `ttl` of every project, and what our rules read by the CEL function `duration`. */
function isDuration({ instancePath }: ErrorObject, schema: JsonObject): boolean {
  return (
    instancePath.endsWith("/ttl") || JSON.stringify(schema["x-kubernetes-validations"] ?? "").includes("duration(")
  );
}

function fixOfDuration(value: number): string {
  return value < 0
    ? 'Write a duration that is not negative, with its unit and in quotes, such as "0s" or "24h".'
    : `Write it with its unit and in quotes, such as "${value}s" for seconds or "24h".`;
}

function fixOfType(type: unknown, value: unknown): string | undefined {
  const types = Array.isArray(type) ? type.map(String) : [String(type)];
  if (value === null) return "Give it a value, or delete the key.";
  if (types.includes("string") && (typeof value === "number" || typeof value === "boolean")) {
    return "Put the value in quotes.";
  }
  if (typeof value !== "string") return undefined;
  if (types.includes("integer") && /^-?\d+$/u.test(value)) return "Write the number without quotes.";
  return types.includes("boolean") ? "Write true or false, without quotes." : undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "a map of keys and values",
  array: "a list",
  null: "empty",
};

function typeWords(type: Json | undefined): string {
  const names = Array.isArray(type) ? (type as readonly Json[]) : [type];
  return names
    .map((name) => (typeof name === "string" ? (ownValue(typeNames, name) ?? name) : "something else"))
    .join(" or ");
}

function wordsOfValue(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return "text";
  return typeof value === "number" ? `the number ${value}` : String(value === true);
}

function anyOfWords(schema: JsonObject): string {
  const branches = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as readonly Json[]) : [];
  const patterns = branches.flatMap((branch) => (isJsonObject(branch) ? [branch["pattern"]] : []));
  const known = patterns.map(wordsOfPattern).find((text) => text !== undefined);
  return known ?? branches.map((branch) => typeWords(isJsonObject(branch) ? branch["type"] : undefined)).join(" or ");
}

function descriptionOf(schema: JsonObject, name: string): string {
  const { properties } = schema;
  const property = isJsonObject(properties) ? properties[name] : undefined;
  const text = isJsonObject(property) ? property["description"] : undefined;
  return typeof text === "string" ? ` (${text.replace(/\.$/u, "")}).` : ".";
}
