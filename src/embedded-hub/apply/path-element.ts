import { readExactJson } from "../../core/exact-json.ts";
import { escapeGoJson, goFloat } from "../../core/formats/go-format.ts";
import type { Json } from "../../core/json.ts";
import { isJsonObject, stringifyJson } from "../../core/json.ts";
import { compareText } from "../schema/compare-text.ts";

/**
 * One step from a container to what it contains: a field of an object (`f:`), an item of a list map by its keys (`k:`),
 * an item of a set by its value (`v:`), an item by index (`i:`). Source: Kubernetes, fieldsV1.
 */
export type PathElement =
  | { readonly kind: "field"; readonly name: string; readonly key: string }
  | { readonly kind: "keys"; readonly fields: readonly KeyField[]; readonly key: string }
  | { readonly kind: "value"; readonly value: Json; readonly key: string }
  | { readonly kind: "index"; readonly index: number; readonly key: string };

export interface KeyField {
  readonly name: string;
  readonly value: Json;
}

export type Path = readonly PathElement[];

/** `key` is the text of the element in fieldsV1; equal elements have equal keys. */
export function fieldElement(name: string): PathElement {
  return { kind: "field", name, key: `f:${name}` };
}

export function keysElement(fields: readonly KeyField[]): PathElement {
  const sorted = fields.length < 2 ? fields : [...fields].sort((a, b) => compareText(a.name, b.name));
  const body = sorted.map(({ name, value }) => `${JSON.stringify(name)}:${jsonText(value)}`).join(",");
  return { kind: "keys", fields: sorted, key: `k:{${body}}` };
}

export function valueElement(value: Json): PathElement {
  return { kind: "value", value, key: `v:${jsonText(value)}` };
}

export function indexElement(index: number): PathElement {
  return { kind: "index", index, key: `i:${index}` };
}

/** The element of a key of fieldsV1, or undefined when the key is of a kind that is not known (it is to be ignored). */
export function parsePathElement(key: string): PathElement | undefined | "malformed" {
  const body = key.slice(2);
  if (key[1] !== ":") return "malformed";
  switch (key[0]) {
    case "f":
      return fieldElement(body);
    case "k": {
      const keys = readExactJson(body);
      if (!isJsonObject(keys)) return "malformed";
      return keysElement(Object.entries(keys).map(([name, value]) => ({ name, value: value ?? null })));
    }
    case "v": {
      const value = readExactJson(body);
      return value === undefined ? "malformed" : valueElement(value);
    }
    case "i":
      return /^[+-]?\d+$/u.test(body) ? indexElement(Number(body)) : "malformed";
    default:
      return undefined;
  }
}

/**
 * `.spec.list[name="x"]` as conflicts name it. The path is one of managed fields, whose numbers kube-apiserver reads as
 * floats: of a million it writes `1e+06`.
 */
export function describePath(path: Path): string {
  return path.map((element) => describeElement(element, (number) => goFloat(Number(number)))).join("");
}

/** The element of an object, as errors name it. */
export function describeElement(element: PathElement, textOf: NumberText = String): string {
  switch (element.kind) {
    case "field":
      return `.${element.name}`;
    case "keys":
      return `[${element.fields.map(({ name, value }) => `${name}=${describeValue(value, textOf)}`).join(",")}]`;
    case "value":
      return `[=${describeValue(element.value, textOf)}]`;
    case "index":
      return `[${element.index}]`;
  }
}

const kindOrder = { field: 0, keys: 1, value: 2, index: 3 } as const;

/** The order of Kubernetes: fields, keys, values, indexes; each in its own order. */
export function comparePathElements(left: PathElement, right: PathElement): number {
  if (left.kind === "field" && right.kind === "field") return compareText(left.name, right.name);
  if (left.kind === "keys" && right.kind === "keys") return compareKeys(left.fields, right.fields);
  if (left.kind === "value" && right.kind === "value") return compareValues(left.value, right.value);
  if (left.kind === "index" && right.kind === "index") return left.index - right.index;
  return kindOrder[left.kind] - kindOrder[right.kind];
}

function compareKeys(left: readonly KeyField[], right: readonly KeyField[]): number {
  for (let index = 0; ; index++) {
    const a = left[index];
    const b = right[index];
    if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
    const order = compareText(a.name, b.name) || compareValues(a.value, b.value);
    if (order !== 0) return order;
  }
}

/** Of a container its JSON shows the rest: lists come before maps. */
const valueOrder = { number: 0, string: 1, boolean: 2, container: 3, null: 4 } as const;

function valueKind(value: Json): keyof typeof valueOrder {
  if (value === null) return "null";
  if (typeof value === "bigint") return "number";
  if (typeof value === "number" || typeof value === "string" || typeof value === "boolean") {
    return typeof value as "number" | "string" | "boolean";
  }
  return "container";
}

function compareValues(left: Json, right: Json): number {
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  const order = valueOrder[valueKind(left)] - valueOrder[valueKind(right)];
  return order !== 0 ? order : compareText(jsonText(left), jsonText(right));
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

type NumberText = (number: number | bigint) => string;

function describeValue(value: Json, textOf: NumberText): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (isNumber(value)) return textOf(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (!isJsonObject(value)) return `[${value.map((item) => describeValue(item, textOf)).join(",")}]`;
  return Object.entries(value)
    .map(([key, item]) => `${key}=${describeValue(item ?? null, textOf)}`)
    .join("");
}

/** JSON as Go writes it by default: `<`, `>` and `&` escaped. */
function jsonText(value: Json): string {
  return escapeGoJson(stringifyJson(value));
}
