import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { countOf } from "../core/count-of.ts";
import { nearestName } from "../core/nearest-name.ts";
import { ownValue } from "../core/own-value.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textsAt } from "../core/read-json.ts";
import { crds } from "../model/generated/crds.ts";
import { foreignFileSchemas } from "../model/generated/foreign-schemas.ts";
import { fileSchemas, recordSchemas } from "../model/generated/schemas.ts";
import { wordsOfPattern } from "./pattern-words.ts";

/** A field as its schema describes it, with the fields below it. */
export interface FieldDescription {
  /** Empty for the kind itself. */
  readonly name: string;
  /** As in `kubectl explain`: `string`, `[]object`, `map[string]string`. */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly default?: Json;
  /** Each one restriction, as text. */
  readonly allowed: readonly string[];
  readonly fields: readonly FieldDescription[];
}

/** `near`: the field of `parent` with the most similar name. `fields`: all there are. */
export interface UnknownField {
  readonly parent: readonly string[];
  readonly name: string;
  readonly near: string | undefined;
  readonly fields: readonly string[];
}

/** Of other projects, what files may declare. Of two versions of a kind, the newer one comes later. */
export const foreignKinds = Object.keys(foreignFileSchemas).map((name) => {
  const [apiVersion = "", kind = ""] = name.split(" ");
  return { apiVersion, kind };
});

export type FieldResult = { readonly found: FieldDescription } | { readonly unknown: UnknownField };

/**
 * Describes one field of a kind. A path passes through the items of lists and the values of maps, as `spec.taints.key`.
 * @param path names of fields; empty for the kind itself
 * @param apiVersion of one of the {@link foreignKinds}; of any other, the kind is one of this project
 */
export function describeField(kind: string, path: readonly string[], apiVersion = ""): FieldResult {
  let schema = ownValue<object>(foreignFileSchemas, `${apiVersion} ${kind}`) as JsonObject | undefined;
  schema ??= schemaOf(kind);
  let isRequired = true;
  for (const [index, name] of path.entries()) {
    const holder = elementOf(schema);
    const properties = objectAt(holder, "properties") ?? {};
    const next = ownValue(properties, name) ?? objectAt(holder, "additionalProperties");
    if (!isJsonObject(next)) {
      const fields = Object.keys(properties);
      return { unknown: { parent: path.slice(0, index), name, near: nearestName(name, fields), fields } };
    }
    isRequired = textsAt(holder, "required").includes(name);
    schema = next;
  }
  return { found: describe(path.at(-1) ?? "", schema, isRequired) };
}

/** What files declare, and what the hub adds to it: a file has no status, and a kind of the hub alone has no file. */
function schemaOf(kind: string): JsonObject {
  const own = ownValue<object>({ ...fileSchemas, ...recordSchemas }, kind) as JsonObject | undefined;
  const crd = crds.find((candidate) => textAt(candidate, "spec", "names", "kind") === kind);
  const [version] = objectsAt(crd, "spec", "versions");
  const served = objectAt(version, "schema", "openAPIV3Schema");
  if (own === undefined) return served ?? {};
  const status = objectAt(served, "properties", "status");
  if (status === undefined) return own;
  return { ...own, properties: { ...objectAt(own, "properties"), status } };
}

/** The schema that has the fields: of a list its items, of a map of objects its values. */
function elementOf(schema: JsonObject): JsonObject {
  const items = objectAt(schema, "items");
  if (items !== undefined) return elementOf(items);
  const values = objectAt(schema, "additionalProperties");
  return values !== undefined && objectAt(values, "properties") !== undefined ? values : schema;
}

function describe(name: string, schema: JsonObject, isRequired: boolean): FieldDescription {
  const holder = elementOf(schema);
  const required = textsAt(holder, "required");
  const properties = Object.entries(objectAt(holder, "properties") ?? {});
  const fallback = schema["default"];
  // An empty object as a default means that the defaults of its fields apply.
  const hasDefault = fallback !== undefined && !(isJsonObject(fallback) && Object.keys(fallback).length === 0);
  return {
    name,
    type: typeOf(schema),
    description: textAt(schema, "description") ?? textAt(holder, "description") ?? "",
    isRequired,
    ...(hasDefault ? { default: fallback } : {}),
    allowed: [...new Set([...restrictionsOf(schema), ...(holder === schema ? [] : restrictionsOf(holder))])],
    fields: properties.flatMap(([key, value]) =>
      isJsonObject(value) ? [describe(key, value, required.includes(key))] : [],
    ),
  };
}

function typeOf(schema: JsonObject): string {
  const items = objectAt(schema, "items");
  if (items !== undefined) return `[]${typeOf(items)}`;
  const values = objectAt(schema, "additionalProperties");
  if (values !== undefined) return `map[string]${typeOf(values)}`;
  const alternatives = objectsAt(schema, "anyOf").flatMap((one) => textAt(one, "type") ?? []);
  // Null means the same as no value.
  const types = textsAt(schema, "type").filter((type) => type !== "null");
  const all = alternatives.length > 0 ? alternatives : types;
  if (all.length > 0) return all.join(" or ");
  return textAt(schema, "type") ?? (isTrueAt(schema, "x-kubernetes-int-or-string") ? "integer or string" : "any");
}

function restrictionsOf(schema: JsonObject): string[] {
  const choices = Array.isArray(schema["enum"]) ? schema["enum"].map(String) : [];
  const pattern = schema["pattern"];
  const keys = objectAt(schema, "propertyNames");
  return [
    ...(choices.length > 0 ? [choices.join(", ")] : []),
    ...rangeOf(schema, "minimum", "maximum", String),
    ...rangeOf(schema, "minLength", "maxLength", (count) => countOf(count, "character")),
    ...rangeOf(schema, "minItems", "maxItems", (count) => countOf(count, "item")),
    ...rangeOf(schema, "minProperties", "maxProperties", (count) => countOf(count, "key")),
    ...(typeof pattern === "string" ? [wordsOfPattern(pattern) ?? `what ${pattern} matches`] : []),
    ...objectsAt(schema, "anyOf").flatMap(restrictionsOf),
    ...(keys === undefined ? [] : restrictionsOf(keys).map((text) => `each key: ${text}`)),
    ...objectsAt(schema, "x-kubernetes-validations").flatMap((rule) => {
      const message = textAt(rule, "message");
      return message === undefined ? [] : [`refused: ${message}`];
    }),
  ];
}

function rangeOf(schema: JsonObject, least: string, most: string, show: (count: number) => string): string[] {
  const from = numberAt(schema, least);
  const to = numberAt(schema, most);
  if (from !== undefined && to !== undefined) return [from === to ? show(to) : `${from} to ${show(to)}`];
  if (to !== undefined) return [`at most ${show(to)}`];
  return from === undefined ? [] : [`at least ${show(from)}`];
}
