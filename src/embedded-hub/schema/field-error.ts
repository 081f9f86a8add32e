import { stringifyJson } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import { escapeGoJson, goJson, goNumber } from "../../core/formats/go-format.ts";
import { quoteText } from "../../core/formats/go-text.ts";
import type { FieldError } from "./schema.ts";

// Texts of refused values, as an API server formats them. Source: Kubernetes, apimachinery util/validation/field.

export function invalid(field: string, value: Json, detail: string): FieldError {
  return { field, reason: "FieldValueInvalid", message: withDetail(`Invalid value: ${printValue(value)}`, detail) };
}

/** Of a value that an API server holds as a struct: it prints the fields in the order given here. */
export function invalidStruct(field: string, value: Json, detail: string): FieldError {
  return { field, reason: "FieldValueInvalid", message: withDetail(`Invalid value: ${printStruct(value)}`, detail) };
}

export function typeInvalid(field: string, value: Json, detail: string): FieldError {
  return { field, reason: "FieldValueTypeInvalid", message: withDetail(`Invalid value: ${printValue(value)}`, detail) };
}

export function required(field: string, detail = ""): FieldError {
  return { field, reason: "FieldValueRequired", message: withDetail("Required value", detail) };
}

export function forbidden(field: string, detail: string): FieldError {
  return { field, reason: "FieldValueForbidden", message: withDetail("Forbidden", detail) };
}

export function duplicate(field: string, value: Json): FieldError {
  return { field, reason: "FieldValueDuplicate", message: `Duplicate value: ${printValue(value)}` };
}

/** The same of a struct. */
export function duplicateStruct(field: string, value: Json): FieldError {
  return { field, reason: "FieldValueDuplicate", message: `Duplicate value: ${printStruct(value)}` };
}

export function notFound(field: string, value: Json): FieldError {
  return { field, reason: "FieldValueNotFound", message: `Not found: ${printValue(value)}` };
}

/** Values that are no texts are quoted as JSON. */
export function notSupported(field: string, value: Json, supported: readonly Json[]): FieldError {
  const texts = supported.map((item) => JSON.stringify(typeof item === "string" ? item : stringifyJson(item)));
  const detail = texts.length === 0 ? "" : `supported values: ${texts.join(", ")}`;
  return {
    field,
    reason: "FieldValueNotSupported",
    message: withDetail(`Unsupported value: ${printValue(value)}`, detail),
  };
}

export function tooLong(field: string, maximumBytes: number): FieldError {
  const unit = maximumBytes === 1 ? "byte" : "bytes";
  return { field, reason: "FieldValueTooLong", message: `Too long: may not be more than ${maximumBytes} ${unit}` };
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  const unit = maximum === 1 ? "item" : "items";
  return { field, reason: "FieldValueTooMany", message: `Too many: ${actual}: must have at most ${maximum} ${unit}` };
}

export function internalError(field: string, detail: string): FieldError {
  return { field, reason: "InternalError", message: withDetail("Internal error", detail) };
}

/** `a.b` of a parent path and a name; the name alone at the root. */
export function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

export function keyPath(path: string, key: string): string {
  return `${path}[${key}]`;
}

export function indexPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

/** Plain texts are quoted, not written as JSON. */
function printValue(value: Json): string {
  if (typeof value === "number") return goNumber(value);
  return typeof value === "string" ? quoteText(value) : goJson(value);
}

function printStruct(value: Json): string {
  return escapeGoJson(stringifyJson(value));
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
