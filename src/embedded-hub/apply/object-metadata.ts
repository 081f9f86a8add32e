import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { ManagedFieldsEntry } from "../../model/kubernetes.ts";

export function metadataOf(object: JsonObject): JsonObject {
  return isJsonObject(object["metadata"]) ? object["metadata"] : {};
}

export function annotationsOf(object: JsonObject): JsonObject {
  const annotations = metadataOf(object)["annotations"];
  return isJsonObject(annotations) ? annotations : {};
}

/** The managedFields of an object as far as they are objects; undefined when it has none. */
export function managedFieldsOf(object: JsonObject): ManagedFieldsEntry[] | undefined {
  const entries = metadataOf(object)["managedFields"];
  return Array.isArray(entries) ? (entries as readonly Json[]).filter(isJsonObject).map(readEntry) : undefined;
}

/** A copy with these managedFields, or without any. */
export function withManagedFields(object: JsonObject, entries: readonly ManagedFieldsEntry[] | undefined): JsonObject {
  const metadata = object["metadata"];
  if (!isJsonObject(metadata) && entries === undefined) return object;
  const { managedFields: _dropped, ...rest } = metadataOf(object);
  return { ...object, metadata: entries === undefined ? rest : { ...rest, managedFields: entries.map(writeEntry) } };
}

function readEntry(entry: JsonObject): ManagedFieldsEntry {
  const { operation, fieldsV1 } = entry;
  return {
    ...text(entry, "manager"),
    ...(operation === "Apply" || operation === "Update" ? { operation } : {}),
    ...text(entry, "apiVersion"),
    ...text(entry, "time"),
    ...text(entry, "fieldsType"),
    ...(isJsonObject(fieldsV1) ? { fieldsV1 } : {}),
    ...text(entry, "subresource"),
  };
}

function text<Key extends string>(entry: JsonObject, key: Key): Partial<Record<Key, string>> {
  const value = entry[key];
  const result: Partial<Record<Key, string>> = {};
  if (typeof value === "string") result[key] = value;
  return result;
}

function writeEntry(entry: ManagedFieldsEntry): JsonObject {
  return { ...entry };
}
