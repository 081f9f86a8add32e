import { appendAll } from "../../core/append-all.ts";
import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import { forbidden, invalid, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import type { PatternBudget } from "../../core/formats/patterns.ts";

type Level = "root" | "item" | "field";

const emptyTypeTexts: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

/** Keywords that describe what a value is, not what it must fulfil: they may not be under allOf, anyOf, oneOf and not. */
const generics: readonly (readonly [string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

/** What keeps a schema from being structural. Source: apiextensions-apiserver, apiserver/schema/validation.go. */
export function validateStructure(schema: JsonObject, path: string, patterns: PatternBudget): FieldError[] {
  const errors = [
    ...validateInvariants(schema, path, "root", patterns),
    ...validateCompleteness(schema, schema, path, path),
  ];
  return errors.sort((a, b) => compare(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`));
}

function validateInvariants(schema: JsonObject, path: string, level: Level, patterns: PatternBudget): FieldError[] {
  const errors: FieldError[] = [];
  const items = objectAt(schema, "items");
  if (textAt(schema, "type") === "array" && items === undefined)
    errors.push(required(`${path}.items`, "must be specified"));
  if (items !== undefined) appendAll(errors, validateInvariants(items, `${path}.items`, "item", patterns));
  for (const [name, property] of Object.entries(objectAt(schema, "properties") ?? {})) {
    if (isJsonObject(property))
      appendAll(errors, validateInvariants(property, `${path}.properties[${name}]`, "field", patterns));
  }
  const additional = schema["additionalProperties"];
  if (additional !== undefined && level === "root") {
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  }
  if (isJsonObject(additional))
    appendAll(errors, validateInvariants(additional, `${path}.additionalProperties`, "field", patterns));
  appendAll(errors, validateExtensions(schema, path));
  appendAll(errors, validateValues(schema, path, true, patterns));
  return [...errors, ...validateType(schema, path, level), ...validateMetadata(schema, path, level)];
}

function validateExtensions(schema: JsonObject, path: string): FieldError[] {
  if (!isTrueAt(schema, "x-kubernetes-int-or-string")) return [];
  return ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]
    .filter((key) => isTrueAt(schema, key))
    .map((key) => invalid(`${path}.${key}`, true, "must be false if x-kubernetes-int-or-string is true"));
}

function validateType(schema: JsonObject, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = [];
  const type = textAt(schema, "type") ?? "";
  const isEmbedded = isTrueAt(schema, "x-kubernetes-embedded-resource");
  const isUntyped = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"].some((key) =>
    isTrueAt(schema, key),
  );
  if (isEmbedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  } else if (type === "" && !isUntyped) {
    errors.push(required(`${path}.type`, emptyTypeTexts[level]));
  }
  if (isEmbedded && schema["additionalProperties"] !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(`${path}.type`, type, "must be object at the root"));
  }
  return errors;
}

/** apiVersion, kind and metadata are the server's own: a schema may restrict names, nothing else. */
function validateMetadata(schema: JsonObject, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = [];
  const isEmbedded = isTrueAt(schema, "x-kubernetes-embedded-resource");
  const isResource = level === "root" || isEmbedded;
  for (const key of ["kind", "apiVersion"]) {
    const property = objectAt(schema, "properties", key);
    const type = textAt(property, "type") ?? "";
    if (isResource && property !== undefined && type !== "string") {
      errors.push(invalid(`${path}.properties[${key}].type`, type, "must be string"));
    }
  }
  const metadata = objectAt(schema, "properties", "metadata");
  if (metadata !== undefined && isResource) {
    const type = textAt(metadata, "type") ?? "";
    if (type !== "object") errors.push(invalid(`${path}.properties[metadata].type`, type, "must be object"));
    const { type: _, default: __, description: ___, properties = {}, ...rest } = metadata;
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    const isPlain = names.every((name) => name === "name" || name === "generateName") && Object.keys(rest).length === 0;
    if (level === "root" && !isPlain) {
      const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
      errors.push(forbidden(`${path}.properties[metadata]`, detail));
    }
  }
  const hasProperties = Object.keys(objectAt(schema, "properties") ?? {}).length > 0;
  if (isEmbedded && !isTrueAt(schema, "x-kubernetes-preserve-unknown-fields") && !hasProperties) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, detail));
  }
  return errors;
}

/** The alternatives of a schema hold rules about values only. Those of a whole one may be the form of an integer or a text. */
function validateValues(schema: JsonObject, path: string, mayHaveForm: boolean, patterns: PatternBudget): FieldError[] {
  const errors: FieldError[] = [];
  const anyOf = objectsAt(schema, "anyOf");
  if (!(mayHaveForm && isIntOrStringForm(anyOf))) {
    for (const [index, inner] of anyOf.entries())
      appendAll(errors, validateNested(inner, `${path}.anyOf[${index}]`, patterns));
  }
  for (const [index, inner] of objectsAt(schema, "allOf").entries()) {
    const isForm = index === 0 && mayHaveForm && isIntOrStringForm(inner["anyOf"]);
    appendAll(
      errors,
      validateNested(isForm ? { ...inner, anyOf: undefined } : inner, `${path}.allOf[${index}]`, patterns),
    );
  }
  for (const [index, inner] of objectsAt(schema, "oneOf").entries()) {
    appendAll(errors, validateNested(inner, `${path}.oneOf[${index}]`, patterns));
  }
  const not = objectAt(schema, "not");
  if (not !== undefined) appendAll(errors, validateNested(not, `${path}.not`, patterns));
  const pattern = textAt(schema, "pattern");
  const fault = pattern === undefined ? undefined : patterns.faultOf(pattern);
  if (pattern !== undefined && fault !== undefined) {
    errors.push(invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`));
  }
  return errors;
}

function validateNested(schema: JsonObject, path: string, patterns: PatternBudget): FieldError[] {
  const errors = validateValues(schema, path, false, patterns);
  const items = objectAt(schema, "items");
  if (items !== undefined) appendAll(errors, validateNested(items, `${path}.items`, patterns));
  for (const [name, property] of Object.entries(objectAt(schema, "properties") ?? {})) {
    if (isJsonObject(property)) appendAll(errors, validateNested(property, `${path}.properties[${name}]`, patterns));
  }
  for (const [key, detail] of generics) {
    const value = schema[key];
    if (value !== undefined && value !== "" && value !== false) errors.push(forbidden(`${path}.${key}`, detail));
  }
  if (objectAt(schema, "properties", "metadata") !== undefined) {
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return errors;
}

/** Whatever alternatives at the root speak of must be declared outside of them. Those further down may speak of anything. */
function validateCompleteness(values: JsonObject, schema: JsonObject, path: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["not", "allOf", "anyOf", "oneOf"]) {
    const not = key === "not" ? objectAt(values, key) : undefined;
    const inner = key === "not" ? (not === undefined ? [] : [not]) : objectsAt(values, key);
    for (const [index, one] of inner.entries()) {
      appendAll(
        errors,
        validateNestedCompleteness(one, schema, path, `${at}.${key}${key === "not" ? "" : `[${index}]`}`),
      );
    }
  }
  return errors;
}

function validateNestedCompleteness(values: JsonObject, schema: JsonObject, path: string, at: string): FieldError[] {
  const errors = validateCompleteness(values, schema, path, at);
  const items = objectAt(values, "items");
  if (items !== undefined) {
    const declared = objectAt(schema, "items");
    if (declared === undefined) errors.push(required(`${path}.items`, `because it is defined in ${at}.items`));
    else appendAll(errors, validateNestedCompleteness(items, declared, `${path}.items`, `${at}.items`));
  }
  for (const [name, property] of Object.entries(objectAt(values, "properties") ?? {})) {
    if (!isJsonObject(property)) continue;
    const declared = objectAt(schema, "properties", name);
    const inner = `properties[${name}]`;
    if (declared === undefined) errors.push(required(`${path}.${inner}`, `because it is defined in ${at}.${inner}`));
    else appendAll(errors, validateNestedCompleteness(property, declared, `${path}.${inner}`, `${at}.${inner}`));
  }
  return errors;
}

function isIntOrStringForm(alternatives: unknown): boolean {
  return isJsonEqual(alternatives, [{ type: "integer" }, { type: "string" }]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
