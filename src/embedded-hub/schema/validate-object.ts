import { countCharacters } from "../../core/count-characters.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { canonicalJson, isJsonEqual, isJsonObject, stringifyJson } from "../../core/json.ts";
import { isUnchanged, oldOfItem, oldOfKey } from "./correlate.ts";
import { fitsFormat, isKnownFormat } from "../../core/formats/named-formats.ts";
import { goType } from "../../core/formats/go-format.ts";
import { compilePattern } from "../../core/formats/patterns.ts";
import type { FieldError, Schema } from "./schema.ts";
import { validateAlternatives } from "./validate-alternatives.ts";
import { validateNumber } from "./validate-number.ts";
import type { Finding, Result } from "./validation-result.ts";
import { addFindings, isClean, merge, newResult, toFieldError } from "./validation-result.ts";

export interface ValidateOptions {
  /** The value in store: findings about what did not change since are left out. */
  readonly old?: Json;
  /** The path of the value in the object; default the root. */
  readonly path?: string;
}

/**
 * What is wrong with a value by its schema, worded and ordered as an API server does (where it leaves the order of
 * properties to chance: in the schema's order). CEL rules and list types are checked apart.
 */
export function validateBySchema(value: Json, schema: Schema, options: ValidateOptions = {}): FieldError[] {
  const { path = "", old } = options;
  return validate(schema, value, "", old).findings.map((finding) => toFieldError(finding, path));
}

/** The findings about one value and all below it. `old` is undefined where no old value corresponds. */
function validate(schema: Schema, value: Json, path: string, old: Json | undefined): Result {
  const result = validateAnew(schema, value, path, old);
  if (!isClean(result) && isUnchanged(schema, value, old)) return { ...newResult(), matches: result.matches };
  return result;
}

function validateAnew(schema: Schema, value: Json, path: string, old: Json | undefined): Result {
  const result = newResult();
  if (value === null) {
    merge(result, validateType(schema, null, path), validateEnum(schema, null, path));
    return result;
  }
  const checks: (Result | undefined)[] = [
    typesOf(schema).length > 0 || formatOf(schema) !== "" ? validateType(schema, value, path) : undefined,
    validateAlternatives(schema, path, (alternative) => validateAnew(alternative, value, path, old)),
    typeof value === "string" ? validateText(schema, value, path) : undefined,
    typeof value === "string" && formatOf(schema) !== "" ? validateFormat(schema, value, path) : undefined,
    typeof value === "number" || typeof value === "bigint" ? validateNumber(schema, value, path) : undefined,
    Array.isArray(value) ? validateList(schema, value as readonly Json[], path, old) : undefined,
    validateEnum(schema, value, path),
    isJsonObject(value) ? validateMap(schema, value, path, old) : undefined,
  ];
  for (const check of checks) {
    if (check === undefined) continue;
    merge(result, check);
    result.matches++;
  }
  result.matches++;
  return result;
}

function typesOf(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

function formatOf({ format = "" }: Schema): string {
  return isKnownFormat(format) ? format : "";
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  // A float beyond 2^53 may have been any number.
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return isJsonObject(value) ? "object" : typeof value;
}

function validateType(schema: Schema, value: Json, path: string): Result {
  const types = typesOf(schema);
  const format = formatOf(schema);
  const passed: Result = { ...newResult(), matches: 1 };
  if (value === null) {
    return types.length > 0 && schema.nullable !== true ? wrongType(path, types.join(","), "null") : passed;
  }
  const type = typeOf(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const fits = types.includes(type) || (type === "integer" && types.includes("number"));
  const isTextOrList = typeof value === "string" || Array.isArray(value);
  if (format !== "" && !isTextOrList && !fits) {
    return wrongType(path, format, typeof value === "number" || typeof value === "bigint" ? goType(value) : "");
  }
  if (format !== "" && isTextOrList && !isNumeric) return passed;
  return fits ? passed : wrongType(path, types.join(","), type);
}

function wrongType(path: string, expected: string, actual: string): Result {
  const text = `${path} in body must be of type ${expected}: ${JSON.stringify(actual)}`;
  return newResult({ path, rule: "type", text, value: actual });
}

function validateText(schema: Schema, value: string, path: string): Result {
  const { maxLength, minLength, pattern = "" } = schema;
  const length = maxLength === undefined && minLength === undefined ? 0 : countCharacters(value);
  if (maxLength !== undefined && length > maxLength) {
    const text = `${path} in body should be at most ${maxLength} chars long`;
    return newResult({ path, rule: "maxLength", text, value, limit: maxLength });
  }
  if (minLength !== undefined && length < minLength) {
    return newResult(other(path, value, `should be at least ${minLength} chars long`));
  }
  if (pattern === "") return newResult();
  const program = compilePattern(pattern);
  if (program === undefined) return newResult(other(path, value, `should match '${pattern}, but pattern is invalid'`));
  return program.matcher(value).find() ? newResult() : newResult(other(path, value, `should match '${pattern}'`));
}

function other(path: string, value: Json, sentence: string): Finding {
  return { path, rule: "other", text: `${path} in body ${sentence}`, value };
}

function validateFormat({ format = "" }: Schema, value: string, path: string): Result {
  if (fitsFormat(format, value)) return newResult();
  const text = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
  return newResult({ path, rule: "type", text, value });
}

function validateEnum(schema: Schema, value: Json, path: string): Result {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return newResult();
  if (value !== null && allowed.some((item) => isEnumValue(item, value))) return newResult();
  const text = `${path} in body should be one of ${stringifyJson(allowed)}`;
  return newResult({ path, rule: "enum", text, value, enum: allowed });
}

/** Equal, or equal once the value is converted to the type of the other as Go does: 1.5 to 1, 97 to "a". */
function isEnumValue(item: Json, value: Json): boolean {
  if (isJsonEqual(item, value)) return true;
  if (typeof value !== "number") return false;
  if (typeof item === "number") return Number.isInteger(item) && Math.trunc(value) === item;
  return (
    typeof item === "string" && Number.isInteger(value) && item.codePointAt(0) === value && countCharacters(item) === 1
  );
}

function validateList(schema: Schema, list: readonly Json[], path: string, old: Json | undefined): Result {
  const { items, minItems, maxItems } = schema;
  const result = newResult();
  if (items !== undefined) {
    for (const [index, item] of list.entries()) {
      merge(result, validate(items, item, `${path}[${index}]`, oldOfItem(schema, item, old)));
    }
  }
  const size = list.length;
  if (minItems !== undefined && size < minItems) {
    addFindings(result, other(path, size, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && size > maxItems) {
    const text = `${path} in body should have at most ${maxItems} items`;
    addFindings(result, { path, rule: "maxItems", text, value: size, limit: maxItems });
  }
  if (schema.uniqueItems === true && new Set(list.map(canonicalJson)).size < list.length) {
    addFindings(result, { path, rule: "other", text: `${path} in body shouldn't contain duplicates` });
  }
  result.matches++;
  return result;
}

function validateMap(schema: Schema, map: JsonObject, path: string, old: Json | undefined): Result {
  const result = newResult();
  const keys = Object.keys(map).filter((key) => map[key] !== undefined);
  const { properties = {}, additionalProperties, minProperties, maxProperties } = schema;
  if (minProperties !== undefined && keys.length < minProperties) {
    addFindings(result, other(path, keys.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    addFindings(result, { path, rule: "maxProperties", text, value: keys.length, limit: maxProperties });
  }
  for (const key of keys) {
    if (Object.hasOwn(properties, key)) continue;
    const value = map[key] ?? null;
    if (additionalProperties === false) {
      const text = `${path}.${key} in body is a forbidden property`;
      addFindings(result, { path, rule: "other", text, value: key });
    } else if (typeof additionalProperties === "object") {
      merge(result, validate(additionalProperties, value, `${path}.${key}`, oldOfKey(schema, key, old)));
    }
  }
  for (const [key, property] of Object.entries(properties)) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (value === undefined) continue;
    const isTypeMeta = path === "" && (key === "kind" || key === "apiVersion");
    const oldValue = isTypeMeta ? undefined : oldOfKey(schema, key, old);
    merge(result, validate(property, value, path === "" ? key : `${path}.${key}`, oldValue));
  }
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(map, key) && map[key] !== undefined) continue;
    addFindings(result, { path: `${path}.${key}`, rule: "required", text: `${path}.${key} in body is required` });
  }
  return result;
}
