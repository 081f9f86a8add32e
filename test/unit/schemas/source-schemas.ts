import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../../../src/core/json.ts";
import type { JsonObject } from "../../../src/core/json.ts";

const folder = new URL("../../../schemas/", import.meta.url);

/** Every schema of a folder below schemas/, by file name. */
export function readSchemas(subfolder = ""): ReadonlyMap<string, JsonObject> {
  const path = new URL(subfolder, folder);
  const names = readdirSync(fileURLToPath(path)).filter((name) => name.endsWith(".schema.json"));
  return new Map(names.map((name) => [name, readJson(new URL(name, path))]));
}

function readJson(file: URL): JsonObject {
  const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJsonObject(parsed)) throw new Error(`${file.href} is no object`);
  return parsed;
}

/** A schema inside another, and where it stands. */
export interface SchemaPart {
  /** `spec.taints[].key`, `status.properties.<key>`. */
  readonly path: string;
  readonly schema: JsonObject;
}

/** The schema and all schemas inside it, by properties, items and additionalProperties. */
export function* partsOf(schema: JsonObject, path = ""): Generator<SchemaPart> {
  yield { path, schema };
  const { properties, items, additionalProperties } = schema;
  for (const [name, part] of isJsonObject(properties) ? Object.entries(properties) : []) {
    if (isJsonObject(part)) yield* partsOf(part, path === "" ? name : `${path}.${name}`);
  }
  if (isJsonObject(items)) yield* partsOf(items, `${path}[]`);
  if (isJsonObject(additionalProperties)) yield* partsOf(additionalProperties, `${path}.<key>`);
}

/** The vocabulary of schemas/ beyond JSON Schema. */
export const extensionKeywords = [
  "x-rollcall",
  "x-kubernetes-validations",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
];
