import { readExactJson } from "../../core/exact-json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject, stringifyJson } from "../../core/json.ts";
import { compareValues } from "./compare-values.ts";
import type { FieldSet } from "./field-set.ts";
import { differenceOf } from "./field-set.ts";
import type { MergeType } from "./merge-type.ts";
import { annotationsOf, metadataOf } from "./object-metadata.ts";
import { compareText } from "../schema/compare-text.ts";
import { typingError } from "./validate-typed.ts";
import { fieldSetOfValue } from "./value-field-set.ts";

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
const maximumAnnotationsBytes = 256 * 1024;

/**
 * The fields that client-side apply owned: those in its annotation that the live object still has with equal values.
 * Undefined when there is no usable annotation.
 */
export function ownedByLastApplied(type: MergeType, live: JsonObject, apiVersion: string): FieldSet | undefined {
  const text = annotationsOf(live)[lastAppliedAnnotation];
  if (typeof text !== "string" || text === "") return undefined;
  const lastApplied = parseObject(text);
  if (lastApplied?.["apiVersion"] !== apiVersion) return undefined;
  if (
    typingError(type, lastApplied, { allowsDuplicates: false }) !== undefined ||
    typingError(type, live, { allowsDuplicates: false }) !== undefined
  )
    return undefined;
  const { modified, added, removed } = compareValues(type, lastApplied, live);
  return [modified, added, removed].reduce(differenceOf, fieldSetOfValue(type, lastApplied));
}

/** Keeps the annotation of client-side apply in step, when there is one. */
export function withLastApplied(object: JsonObject, intent: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  const current = annotations[lastAppliedAnnotation];
  if (typeof current !== "string" || current === "") return object;
  const { [lastAppliedAnnotation]: _dropped, ...intended } = annotationsOf(intent);
  const metadata = { ...metadataOf(intent) };
  delete metadata["annotations"];
  const body = {
    ...intent,
    metadata: Object.keys(intended).length > 0 ? { ...metadata, annotations: intended } : metadata,
  };
  const text = `${stringifyJson(sortKeys(body))}\n`;
  const size = Object.entries({ ...annotations, [lastAppliedAnnotation]: text }).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(typeof value === "string" ? value : ""),
    0,
  );
  const updated: Record<string, Json | undefined> = { ...annotations, [lastAppliedAnnotation]: text };
  if (size > maximumAnnotationsBytes) delete updated[lastAppliedAnnotation];
  return { ...object, metadata: { ...metadataOf(object), annotations: updated } };
}

function sortKeys(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item: Json) => sortKeys(item) ?? null);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}

function parseObject(text: string): JsonObject | undefined {
  const value = readExactJson(text);
  return isJsonObject(value) ? value : undefined;
}
