import { appendAll } from "../../core/append-all.ts";
import type { PatternBudget } from "../../core/formats/patterns.ts";
import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import { validateRuleDeclarations } from "../rules/validate-rule-declarations.ts";
import { forbidden, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateStructure } from "./validate-structure.ts";
import { validateDefaults } from "./validate-crd-defaults.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupportedKeys = ["$ref", "additionalItems", "definitions", "dependencies", "id", "patternProperties"];
const rootKeys = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);
const rootKeysText =
  "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

/** What keeps a schema of a CRD from being structural and sound. */
export function validateCrdSchema(
  schema: JsonObject,
  path: string,
  { hasStatus, patterns }: { readonly hasStatus: boolean; readonly patterns: PatternBudget },
): FieldError[] {
  const errors = hasStatus ? validateRoot(schema, path) : [];
  if (isTrueAt(schema, "nullable")) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  const canRead = isReadable(schema);
  const structural = canRead ? validateStructure(schema, path, patterns) : [];
  const defaults = canRead && structural.length === 0 ? validateDefaults(schema, path) : [];
  const nodes = validateNode(schema, path, { isRoot: true });
  const isSound = structural.length + defaults.length + nodes.length === 0;
  const all = [
    ...errors,
    ...structural,
    ...defaults,
    ...nodes,
    ...validateRuleDeclarations(schema, path, isSound, patterns),
  ];
  // kube-apiserver reports this fault only of a schema that has no other.
  if (canRead || all.length > 0) return all;
  return [invalid(path, "", "OpenAPIV3Schema 'schema' is not supported")];
}

/** Whether it can be read as a structural schema: neither it nor a schema in it has a keyword that no such schema has. */
function isReadable(schema: JsonObject): boolean {
  if (hasUnsupported(schema) || Array.isArray(schema["items"]) || (textAt(schema, "$schema") ?? "") !== "")
    return false;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) return false;
  return partsOf(schema).every((part) => !isJsonObject(part) || isReadable(part));
}

function partsOf(schema: JsonObject): readonly unknown[] {
  const { items, additionalProperties, properties, not } = schema;
  const alternatives = ["allOf", "anyOf", "oneOf"].flatMap((key) => objectsAt(schema, key));
  return [
    items,
    additionalProperties,
    not,
    ...alternatives,
    ...(isJsonObject(properties) ? Object.values(properties) : []),
  ];
}

function hasUnsupported(schema: JsonObject): boolean {
  return unsupportedKeys.some((key) => isSet(schema[key]));
}

/** An empty text or map is as one that is absent. */
function isSet(value: unknown): boolean {
  return isJsonObject(value) ? Object.keys(value).length > 0 : value !== undefined && value !== "";
}

function validateRoot(schema: JsonObject, path: string): FieldError[] {
  const type = textAt(schema, "type") ?? "";
  if (type !== "" && type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, type, detail)];
  }
  if (Object.keys(schema).every((key) => rootKeys.has(key))) return [];
  const detail = `only ${rootKeysText} fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, schema, detail)];
}

interface Place {
  readonly isRoot?: boolean;
  /** Why no default is allowed here. */
  readonly forbidsDefault?: string;
}

/** The rules of a schema and of all below it. */
function validateNode(schema: JsonObject, path: string, place: Place): FieldError[] {
  const errors = validateKeywords(schema, path, place);
  const { additionalProperties } = schema;
  if (isJsonObject(additionalProperties))
    appendAll(errors, validateNode(additionalProperties, `${path}.additionalProperties`, place));
  for (const [name, property] of Object.entries(objectAt(schema, "properties") ?? {})) {
    if (!isJsonObject(property)) continue;
    const isMeta = place.isRoot === true && ["metadata", "kind", "apiVersion"].includes(name);
    const inner = isMeta
      ? { forbidsDefault: `in top-level ${name}` }
      : place.forbidsDefault === undefined
        ? {}
        : { forbidsDefault: place.forbidsDefault };
    appendAll(errors, validateNode(property, `${path}.properties[${name}]`, inner));
  }
  for (const key of ["allOf", "oneOf", "anyOf"]) {
    for (const [index, inner] of objectsAt(schema, key).entries())
      appendAll(errors, validateNode(inner, `${path}.${key}[${index}]`, {}));
  }
  for (const key of ["not", "items"]) {
    const inner = objectAt(schema, key);
    if (inner !== undefined) appendAll(errors, validateNode(inner, `${path}.${key}`, {}));
  }
  for (const [name, inner] of Object.entries(objectAt(schema, "definitions") ?? {}))
    if (isJsonObject(inner)) appendAll(errors, validateNode(inner, `${path}.definitions[${name}]`, {}));
  return [...errors, ...validateListAndMap(schema, path)];
}

function validateKeywords(schema: JsonObject, path: string, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const type = textAt(schema, "type") ?? "";
  if (type !== "" && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types));
  if (schema["default"] !== undefined && place.forbidsDefault !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${place.forbidsDefault}`));
  }
  for (const key of unsupportedKeys) {
    if (isSet(schema[key])) errors.push(forbidden(`${path}.${key}`, `${key} is not supported`));
  }
  if (type === "null")
    errors.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(schema["items"]))
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  if (isTrueAt(schema, "uniqueItems")) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${path}.uniqueItems`, detail));
  }
  const additional = schema["additionalProperties"];
  const hasProperties = Object.keys(objectAt(schema, "properties") ?? {}).length > 0;
  if (additional !== undefined && additional !== true && hasProperties) {
    const detail = "additionalProperties and properties are mutual exclusive";
    errors.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  return errors;
}

function validateListAndMap(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = textAt(schema, "type") ?? "";
  const mapType = textAt(schema, "x-kubernetes-map-type");
  const listType = textAt(schema, "x-kubernetes-list-type");
  const keys = textsAt(schema, "x-kubernetes-list-map-keys");
  const wants = (kind: string, keyword: string): void => {
    const detail = `must be ${kind} if ${keyword} is specified`;
    errors.push(type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  };
  if (mapType !== undefined && type !== "object") wants("object", "x-kubernetes-map-type");
  if (mapType !== undefined && !["atomic", "granular"].includes(mapType)) {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && type !== "array") wants("array", "x-kubernetes-list-type");
  else if (listType === "set") appendAll(errors, validateSetItems(schema, path));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail));
  }
  if (listType === "map") appendAll(errors, validateMapItems(schema, path, keys));
  if (listType === "set" || listType === "map") {
    if (isTrueAt(schema, "items", "nullable")) {
      errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
    }
  }
  return errors;
}

function validateSetItems(schema: JsonObject, path: string): FieldError[] {
  const items = objectAt(schema, "items");
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"] ?? null;
  if (textAt(items, "type") === "array" && listType !== null && listType !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-list-type`, listType, detail)];
  }
  if (textAt(items, "type") === "object" && textAt(items, "x-kubernetes-map-type") !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-map-type`, listType, detail)];
  }
  return [];
}

function validateMapItems(schema: JsonObject, path: string, keys: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const items = objectAt(schema, "items");
  if (keys.length === 0) {
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (items === undefined)
    return [...errors, required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  const type = textAt(items, "type") ?? "";
  if (type !== "object") {
    errors.push(invalid(`${path}.items.type`, type, "must be object if parent array's x-kubernetes-list-type is map"));
  }
  const seen = new Set<string>();
  const refuse = (detail: string): FieldError => invalid(`${path}.x-kubernetes-list-map-keys`, [...keys], detail);
  // Each names the whole list: printed once for all of them.
  const unknown = refuse("entries must all be names of item properties");
  const repeated = refuse("must not contain duplicate entries");
  for (const key of keys) {
    const property = objectAt(items, "properties", key);
    if (type === "object") {
      if (property === undefined) errors.push(unknown);
      else if (["array", "object"].includes(textAt(property, "type") ?? "")) {
        const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(invalid(`${path}.items.properties[${key}].type`, type, detail));
      }
      if (seen.has(key)) errors.push(repeated);
      seen.add(key);
    }
  }
  return [...errors, ...validateMapKeys(items, path, keys)];
}

/** Keys of list maps must be there in every item. */
function validateMapKeys(items: JsonObject, path: string, keys: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const always = new Set(textsAt(items, "required"));
  for (const key of keys) {
    const property = objectAt(items, "properties", key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!always.has(key) && property["default"] === undefined) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(`${at}.default`, detail));
    }
    if (isTrueAt(property, "nullable")) {
      errors.push(
        forbidden(`${at}.nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"),
      );
    }
  }
  return errors;
}
