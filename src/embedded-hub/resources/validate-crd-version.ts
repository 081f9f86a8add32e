import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import { parseRuleFieldPath } from "../rules/rule-field-path.ts";
import { duplicate, invalid, invalidStruct, required, tooMany } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

// What is wrong with one version of a CustomResourceDefinition, besides its schema.

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const selectableLimit = 8;
const selectableTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer"]);
const selectableDetail =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

/** The warning that answers of a deprecated version have. Messages print it as JSON: it may be absent. */
export function validateDeprecation(version: JsonObject, path: string): FieldError[] {
  const field = `${path}.deprecationWarning`;
  const warning = textAt(version, "deprecationWarning");
  if (warning === undefined) return [];
  if (!isTrueAt(version, "deprecated"))
    return [invalidStruct(field, warning, "can only be set for deprecated versions")];
  if (warning === "") return [invalidStruct(field, warning, "must not be an empty string")];
  const errors =
    Buffer.byteLength(warning) > 256 ? [invalidStruct(field, warning, "must be <= 256 characters long")] : [];
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (unprintable === null) return errors;
  const index = Buffer.byteLength(warning.slice(0, unprintable.index));
  const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
  return [...errors, invalidStruct(field, warning, detail)];
}

/** The paths of the Scale. */
export function validateSubresources(version: JsonObject, path: string): FieldError[] {
  const scale = objectAt(version, "subresources", "scale");
  if (scale === undefined) return [];
  const selector = textAt(scale, "labelSelectorPath") ?? "";
  const field = `${path}.scale`;
  return [
    ...validateReplicasPath(textAt(scale, "specReplicasPath") ?? "", `${field}.specReplicasPath`, ".spec."),
    ...validateReplicasPath(textAt(scale, "statusReplicasPath") ?? "", `${field}.statusReplicasPath`, ".status."),
    ...validateSelectorPath(selector, `${field}.labelSelectorPath`),
  ];
}

function validateReplicasPath(path: string, field: string, root: string): FieldError[] {
  if (path === "") return [required(field)];
  if (!path.startsWith(".")) return [invalid(field, path, "must be a simple json path starting with .")];
  return path.startsWith(root) ? [] : [invalid(field, path, `should be a json path under ${root.slice(0, -1)}`)];
}

function validateSelectorPath(path: string, field: string): FieldError[] {
  if (path === "" || /^\.(?:spec|status)\./u.test(path)) return [];
  const detail = path.startsWith(".")
    ? "should be a json path under either .spec or .status"
    : "must be a simple json path starting with .";
  return [invalid(field, path, detail)];
}

/** Columns of tables. */
export function validateColumns(version: JsonObject, path: string): FieldError[] {
  return objectsAt(version, "additionalPrinterColumns").flatMap((column, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    const type = textAt(column, "type") ?? "";
    const format = textAt(column, "format") ?? "";
    const jsonPath = textAt(column, "jsonPath") ?? "";
    if ((textAt(column, "name") ?? "") === "") errors.push(required(`${at}.name`));
    const types = `must be one of ${columnTypes.join(",")}`;
    if (type === "") errors.push(required(`${at}.type`, types));
    else if (!columnTypes.includes(type)) errors.push(invalid(`${at}.type`, type, types));
    if (format !== "" && !columnFormats.includes(format)) {
      errors.push(invalid(`${at}.format`, format, `must be one of ${columnFormats.join(",")}`));
    }
    if (jsonPath === "") errors.push(required(`${at}.JSONPath`));
    else if (!jsonPath.startsWith(".")) {
      errors.push(invalid(`${at}.JSONPath`, jsonPath, "must be a simple json path starting with ."));
    }
    return errors;
  });
}

/** Fields that selectors may name. Source: apiextensions-apiserver, ValidateCustomResourceSelectableFields. */
export function validateSelectable(version: JsonObject, path: string): FieldError[] {
  const schema = objectAt(version, "schema", "openAPIV3Schema") ?? {};
  const known = new Set<string>();
  const errors = objectsAt(version, "selectableFields").flatMap((selectable, index): FieldError[] => {
    const field = `${path}[${index}].jsonPath`;
    const jsonPath = textAt(selectable, "jsonPath") ?? "";
    if (jsonPath === "") return [required(field)];
    const found = parseRuleFieldPath(jsonPath, schema, { allowsLists: false });
    if (found.kind === "refused") return [invalid(field, jsonPath, `is an invalid path: ${found.message}`)];
    const isKnown = known.has(found.path);
    known.add(found.path);
    return [
      ...(/^metadata\b/u.test(found.path) ? [invalid(field, jsonPath, "must not point to fields in metadata")] : []),
      ...(selectableTypes.has(found.schema.type ?? "") ? [] : [invalid(field, jsonPath, selectableDetail)]),
      ...(isKnown ? [duplicate(field, jsonPath)] : []),
    ];
  });
  return known.size > selectableLimit ? [...errors, tooMany(path, known.size, selectableLimit)] : errors;
}
