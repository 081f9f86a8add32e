import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeJsonKind } from "../../core/formats/go-format.ts";
import type { PatchResult } from "./patch.ts";
import { refused } from "./patch.ts";

/** Applies an RFC 7386 merge patch to an object. */
export function applyMergePatch(object: JsonObject, patch: Json): PatchResult {
  if (patch === null) return refused(400, "Invalid JSON Patch");
  if (!isJsonObject(patch)) {
    const kind = describeJsonKind(patch);
    return refused(
      400,
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    );
  }
  return { kind: "patched", object: mergeObjects(object, patch) };
}

function mergeObjects(object: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(object));
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(current: Json | undefined, patch: Json): Json {
  if (!isJsonObject(current)) return withoutNulls(patch);
  return isJsonObject(patch) ? mergeObjects(current, patch) : patch;
}

/** Nulls of objects mean absence at every depth, in lists too; nulls that are items of lists stay. */
function withoutNulls(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (!isJsonObject(value)) return value.map(withoutNulls);
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === null || item === undefined ? [] : [[key, withoutNulls(item)] as const],
  );
  return Object.fromEntries(entries);
}
