import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeJsonKind, goText, goType } from "../../core/formats/go-format.ts";
import type { Schema } from "../schema/schema.ts";
import {
  deletionsOf,
  elementOrderOf,
  identityOf,
  normalizeOrder,
  partition,
  validateElementOrder,
} from "./element-order.ts";
import type { PatchResult } from "./patch.ts";
import { refused, unprocessable } from "./patch.ts";
import { PatchError, badArgument, noMergeKey, unknownDirective } from "./patch-error.ts";
import type { PatchMeta } from "./patch-meta.ts";
import { metaOfKey } from "./patch-meta.ts";

/**
 * Applies a strategic merge patch: lists with merge keys are merged by them, `$patch`, `$retainKeys`,
 * `$setElementOrder/x` and `$deleteFromPrimitiveList/x` are obeyed. The schema's x-kubernetes-patch-* extensions select
 * the lists that merge. Source: Kubernetes, strategic merge patch.
 */
export function applyStrategicMergePatch(object: JsonObject, patch: Json, schema: Schema): PatchResult {
  if (patch === null) return { kind: "patched", object };
  if (!isJsonObject(patch)) {
    const kind = describeJsonKind(patch);
    return refused(400, `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  }
  try {
    return { kind: "patched", object: mergeMaps(object, patch, schema) };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return error.code === 422 ? unprocessable : refused(error.code, error.message);
  }
}

const directive = "$patch";
const retainKeysDirective = "$retainKeys";
const orderPrefix = "$setElementOrder/";
const deletePrefix = "$deleteFromPrimitiveList/";

function mergeMaps(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, directive)) return applyDirective(patch);
  const merged = new Map(Object.entries(retainKeys(original, patch)));
  const rest = new Map(Object.entries(patch).filter(([key]) => key !== retainKeysDirective));
  for (const key of [...rest.keys()]) {
    if (key.startsWith("$setElementOrder")) mergeOrdered(merged, rest, key, schema);
  }
  for (const [key, value] of rest) {
    if (value === undefined) continue;
    if (key.startsWith("$deleteFromPrimitiveList")) deleteFromList(merged, key, value);
    else mergeKey(merged, key, value, schema);
  }
  return Object.fromEntries(merged);
}

type MutableMap = Map<string, Json | undefined>;

function applyDirective({ [directive]: what, ...rest }: JsonObject): JsonObject {
  if (what === "replace") return rest;
  if (what === "delete") return {};
  throw unknownDirective(what ?? null, { [directive]: what, ...rest });
}

/** Drops the keys of `original` that `$retainKeys` does not list. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const listed = patch[retainKeysDirective];
  if (listed === undefined) return original;
  const malformed = new PatchError("invalid patch format of retainKeys", 400);
  if (!Array.isArray(listed)) throw malformed;
  const kept = new Set<Json>(listed as readonly Json[]);
  for (const [key, value] of Object.entries(patch)) {
    const isDirective = key === retainKeysDirective || key.startsWith(orderPrefix) || key.startsWith(deletePrefix);
    if (!isDirective && value !== null && !kept.has(key)) throw malformed;
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
}

/** Merges one list and puts it into the order that `$setElementOrder/<list>` asks for. */
function mergeOrdered(merged: MutableMap, rest: MutableMap, key: string, schema: Schema | undefined): void {
  const order = elementOrderOf(rest.get(key) ?? null);
  rest.delete(key);
  if (!key.startsWith(orderPrefix)) throw new PatchError("invalid patch format of setElementOrder list", 400);
  const name = key.slice(orderPrefix.length);
  const inOriginal = merged.get(name);
  const inPatch = rest.get(name);
  const originalList = listOf(inOriginal);
  const patchList = listOf(inPatch);
  const meta = metaOfKey(schema, name);
  validateElementOrder(patchList ?? [], order, meta.mergeKey);
  if (originalList === undefined && patchList === undefined) return;
  const items =
    patchList === undefined
      ? (originalList ?? [])
      : originalList === undefined
        ? (listOf(withoutDirectives(patchList)) ?? [])
        : mergeListsOf(originalList, patchList, meta);
  const { chosen, others } = partition(items, order, meta.mergeKey);
  elementKind(originalList ?? [], patchList ?? []);
  const sorted = normalizeOrder({ chosen, others, order, serverOrder: originalList ?? [], mergeKey: meta.mergeKey });
  merged.set(name, sorted);
  rest.delete(name);
}

function listOf(value: Json | undefined): readonly Json[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw badArgument("[]interface {}", value);
  return value as readonly Json[];
}

function deleteFromList(merged: MutableMap, key: string, value: Json): void {
  if (!key.startsWith(deletePrefix)) throw new PatchError("invalid patch format of primitive list", 400);
  const name = key.slice(deletePrefix.length);
  const list = merged.get(name);
  if (value === null) {
    merged.delete(name);
    return;
  }
  if (!Array.isArray(list) || !Array.isArray(value)) return;
  const [kept, deleted] = [list as readonly Json[], value as readonly Json[]];
  if (kept.length + deleted.length === 0) return;
  if (elementKind(kept, deleted) === "map") {
    throw new PatchError("cannot merge lists without merge key for struct", 500);
  }
  merged.set(name, deletionsOf(kept, deleted));
}

function mergeKey(merged: MutableMap, key: string, value: Json, schema: Schema | undefined): void {
  if (value === null) {
    merged.delete(key);
    return;
  }
  const current = merged.get(key);
  const isMap = isJsonObject(current) && isJsonObject(value);
  const isList = Array.isArray(current) && Array.isArray(value);
  if (!isMap && !isList) {
    const isNew = current === undefined || describeJsonKind(current ?? null) !== describeJsonKind(value);
    const cleaned = withoutDirectives(isNew ? withoutNulls(value) : value);
    if (cleaned === undefined) merged.delete(key);
    else merged.set(key, cleaned);
    return;
  }
  const meta = metaOfKey(schema, key);
  if (isMap) {
    merged.set(key, meta.strategy === "replace" ? value : mergeMaps(current, value, meta.schema));
  } else {
    merged.set(key, mergeListsOf(current as readonly Json[], value as readonly Json[], meta));
  }
}

function mergeListsOf(original: readonly Json[], patch: readonly Json[], meta: PatchMeta): readonly Json[] {
  if (meta.strategy !== "merge") return patch;
  if (original.length === 0 && patch.length === 0) return original;
  const kind = elementKind(original, patch);
  if (kind !== "map") {
    const items = [...new Set([...original, ...patch])];
    const { chosen, others } = partition(items, patch, "");
    return normalizeOrder({ chosen, others, order: patch, serverOrder: original, mergeKey: "" });
  }
  const { mergeKey: key } = meta;
  if (key === "") throw new PatchError("cannot merge lists without merge key for struct", 500);
  const special = applySpecialItems(original.map(mapOf), patch.map(mapOf), key);
  const items = mergeItems(special.original, special.patch, meta);
  const { chosen, others } = partition(items, special.patch, key);
  return normalizeOrder({ chosen, others, order: special.patch, serverOrder: special.original, mergeKey: key });
}

function elementKind(...lists: (readonly Json[])[]): string {
  const kinds = new Set(lists.flat().map(goType));
  if (kinds.size === 0) throw new PatchError("no elements in any of the given slices", 500);
  const [first] = kinds;
  if (first === "[]interface {}") throw new PatchError("lists of lists are not supported", 422);
  if (kinds.size > 1) throw new PatchError(`list element types are not identical: ${goText(lists)}`, 500);
  return kinds.has("map[string]interface {}") ? "map" : "scalar";
}

function mapOf(item: Json): JsonObject {
  if (!isJsonObject(item)) throw badArgument("map[string]interface {}", item);
  return item;
}

/** Obeys `$patch: delete` and `$patch: replace` items of a patch. */
function applySpecialItems(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  key: string,
): { readonly original: readonly JsonObject[]; readonly patch: readonly JsonObject[] } {
  const deleted = new Set<string | undefined>();
  let isReplaced = false;
  const plain: JsonObject[] = [];
  for (const item of patch) {
    const what = item[directive];
    if (what === undefined) plain.push(item);
    else if (what === "delete") {
      if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
      deleted.add(identityOf(item, key));
    } else if (what === "replace") isReplaced = true;
    else if (what === "merge") throw new PatchError("merging lists cannot yet be specified in the patch", 500);
    else throw unknownDirective(what, item);
  }
  if (isReplaced) return { original: plain, patch: [] };
  const isKept = (item: JsonObject): boolean => !Object.hasOwn(item, key) || !deleted.has(identityOf(item, key));
  return { original: deleted.size === 0 ? original : original.filter(isKept), patch: plain };
}

function mergeItems(original: readonly JsonObject[], patch: readonly JsonObject[], meta: PatchMeta): JsonObject[] {
  const { mergeKey: itemKey } = meta;
  const merged = [...original];
  const places = new Map<string | undefined, number>();
  const remember = (item: JsonObject, index: number): void => {
    const identity = identityOf(item, itemKey);
    if (!places.has(identity)) places.set(identity, index);
  };
  for (const [index, item] of original.entries()) if (Object.hasOwn(item, itemKey)) remember(item, index);
  for (const item of patch) {
    if (!Object.hasOwn(item, itemKey)) throw noMergeKey(item, itemKey);
    const index = places.get(identityOf(item, itemKey));
    const current = index === undefined ? undefined : merged[index];
    if (index === undefined || current === undefined) remember(item, merged.push(item) - 1);
    else merged[index] = mergeMaps(current, item, meta.schema);
  }
  return merged;
}

/** A value without maps that carry `$patch`; undefined when it is one itself. */
function withoutDirectives(value: Json): Json | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (!isJsonObject(value)) {
    return value.flatMap((item: Json) => {
      const kept = withoutDirectives(item);
      return kept === undefined ? [] : [kept];
    });
  }
  if (Object.hasOwn(value, directive)) return undefined;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = item === undefined ? undefined : withoutDirectives(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return Object.fromEntries(entries);
}

function withoutNulls(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (!isJsonObject(value)) return value.map(withoutNulls);
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === null || item === undefined ? [] : [[key, withoutNulls(item)] as const],
  );
  return Object.fromEntries(entries);
}
