import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonEqual, isJsonObject, stringifyJson } from "../../core/json.ts";
import { describeJsonKind } from "../../core/formats/go-format.ts";
import type { PatchResult } from "./patch.ts";
import { refused, unprocessable } from "./patch.ts";

const maximumOperations = 10_000;
/** A patch may copy again and again what it copied: what it makes is bounded. Source: kube-apiserver, JSONPatchMaxCopyBytes. */
const maximumCopiedBytes = 3 * 1024 * 1024;

/**
 * Applies an RFC 6902 patch. Like an API server it lets `replace` add a missing key of an object, counts negative
 * indexes from the end, refuses the whole patch when one operation fails, and takes null for no operations.
 */
export function applyJsonPatch(object: JsonObject, patch: Json): PatchResult {
  if (patch === null) return { kind: "patched", object };
  if (!Array.isArray(patch)) return malformed(patch, "[]handlers.jsonPatchOp");
  const operations = patch as readonly Json[];
  if (operations.length > maximumOperations) {
    return refused(
      413,
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maximumOperations}, got ${operations.length}`,
    );
  }
  for (const operation of operations) {
    const refusal = checkOperation(operation);
    if (refusal !== undefined) return refusal;
  }
  const document: Document = { root: mutableCopy(object), copiedBytes: 0 };
  for (const operation of operations) {
    if (!isJsonObject(operation) || !applyOperation(document, operation)) return unprocessable;
  }
  return isJsonObject(document.root) ? { kind: "patched", object: document.root } : unprocessable;
}

type Mutable = null | boolean | number | bigint | string | Mutable[] | MutableObject;
interface MutableObject {
  [key: string]: Mutable;
}

interface Document {
  root: Mutable;
  copiedBytes: number;
}

function malformed(value: Json, goTypeName: string): PatchResult {
  const kind = describeJsonKind(value);
  return refused(400, `error decoding patch: json: cannot unmarshal ${kind} into Go value of type ${goTypeName}`);
}

function checkOperation(operation: Json): PatchResult | undefined {
  if (operation === null) return undefined;
  if (!isJsonObject(operation)) return malformed(operation, "handlers.jsonPatchOp");
  for (const field of ["op", "path", "from"]) {
    const value = operation[field] ?? null;
    if (value === null || typeof value === "string") continue;
    const kind = describeJsonKind(value);
    return refused(
      400,
      `error decoding patch: json: cannot unmarshal ${kind} into Go struct field jsonPatchOp.${field} of type string`,
    );
  }
  return undefined;
}

function mutableCopy(value: Json): Mutable {
  if (typeof value !== "object" || value === null) return value;
  if (!isJsonObject(value)) return value.map(mutableCopy);
  const copy: MutableObject = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) setKey(copy, key, mutableCopy(item));
  return copy;
}

/** Defines the key even when it is `__proto__`. */
function setKey(target: MutableObject, key: string, value: Mutable): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** False when the operation does not apply. */
function applyOperation(document: Document, operation: JsonObject): boolean {
  const { op, path, from } = operation;
  switch (op) {
    case "add":
      return typeof path === "string" && add(document, path, mutableCopy(operation["value"] ?? null));
    case "remove":
      return typeof path === "string" && remove(document, path);
    case "replace":
      return typeof path === "string" && replace(document, path, operation["value"]);
    case "test":
      return typeof path === "string" && test(document, path, operation["value"]);
    case "move": {
      if (typeof from !== "string" || typeof path !== "string") return false;
      const value = read(document, from);
      return value !== undefined && remove(document, from) && add(document, path, value ?? null);
    }
    case "copy": {
      if (typeof from !== "string" || typeof path !== "string") return false;
      const target = find(document, from);
      const value = target === undefined ? undefined : itemOf(target);
      if (value === undefined || value === "outside") return false;
      const item = value.item ?? null;
      document.copiedBytes += stringifyJson(item).length;
      return document.copiedBytes <= maximumCopiedBytes && add(document, path, mutableCopy(item));
    }
    default:
      return false;
  }
}

interface Target {
  readonly container: Mutable[] | MutableObject;
  readonly key: string;
}

/** The container of what a pointer names; undefined when there is none. */
function find(document: Document, pointer: string): Target | undefined {
  const parts = pointer.split("/");
  const key = parts.pop();
  if (key === undefined || parts.length === 0) return undefined;
  let container: Mutable = document.root;
  for (const part of parts.slice(1)) {
    if (typeof container !== "object" || container === null) return undefined;
    const found = itemOf({ container, key: decodeKey(part) });
    if (found === "outside" || found.item === undefined || found.item === null) return undefined;
    container = found.item;
  }
  return typeof container === "object" && container !== null ? { container, key: decodeKey(key) } : undefined;
}

function decodeKey(key: string): string {
  return key.replace(/~[01]/gu, (escape) => (escape === "~1" ? "/" : "~"));
}

/** The value at a target: undefined for a key that an object does not have, "outside" for a bad index of a list. */
function itemOf({ container, key }: Target): { readonly item: Mutable | undefined } | "outside" {
  if (!Array.isArray(container)) return { item: Object.hasOwn(container, key) ? container[key] : undefined };
  const index = indexOf(key, container.length);
  return index === undefined || index >= container.length ? "outside" : { item: container[index] };
}

/** The index that a key means, from the end when negative; undefined when it is none or before the start. */
function indexOf(key: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/u.test(key)) return undefined;
  const index = Number(key);
  if (index >= 0) return index;
  return index < -length ? undefined : index + length;
}

/** The value at a pointer; undefined when it cannot be read. */
function read(document: Document, pointer: string): Mutable | undefined {
  const target = find(document, pointer);
  const found = target === undefined ? "outside" : itemOf(target);
  return found === "outside" ? undefined : found.item;
}

function add(document: Document, pointer: string, value: Mutable): boolean {
  const target = find(document, pointer);
  if (target === undefined) return false;
  const { container, key } = target;
  if (!Array.isArray(container)) {
    setKey(container, key, value);
    return true;
  }
  const index = key === "-" ? container.length : indexOf(key, container.length + 1);
  if (index === undefined || index > container.length) return false;
  container.splice(index, 0, value);
  return true;
}

function remove(document: Document, pointer: string): boolean {
  const target = find(document, pointer);
  if (target === undefined) return false;
  const { container, key } = target;
  if (Array.isArray(container)) {
    const index = indexOf(key, container.length);
    if (index === undefined || index >= container.length) return false;
    container.splice(index, 1);
    return true;
  }
  return Object.hasOwn(container, key) && delete container[key];
}

function replace(document: Document, pointer: string, value: Json | undefined): boolean {
  const replacement = mutableCopy(value ?? null);
  if (pointer === "") {
    if (typeof replacement !== "object" || replacement === null) return false;
    document.root = replacement;
    return true;
  }
  const target = find(document, pointer);
  if (target === undefined || itemOf(target) === "outside") return false;
  const { container, key } = target;
  if (Array.isArray(container)) container[indexOf(key, container.length) ?? 0] = replacement;
  else setKey(container, key, replacement);
  return true;
}

function test(document: Document, pointer: string, expected: Json | undefined): boolean {
  if (pointer === "") return expected !== undefined && isJsonEqual(document.root, expected);
  const target = find(document, pointer);
  const found = target === undefined ? "outside" : itemOf(target);
  if (found === "outside") return false;
  // A key that is missing equals null.
  const actual = found.item ?? null;
  if (expected === undefined) return false;
  return isJsonEqual(actual, expected);
}
