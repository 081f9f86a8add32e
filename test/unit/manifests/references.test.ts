import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { documentText, parseText, problemLines } from "./read-text.ts";

const folder = resolve(import.meta.dirname, "../../../schemas");

interface Reference {
  readonly place: string;
  readonly schema: JsonObject;
}

function readSchema(file: string): JsonObject {
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJsonObject(schema)) throw new Error(`${file} is no schema`);
  return schema;
}

/** Every field whose name ends in Ref, with the schema that `$ref` leads to. */
function referencesOf(schema: unknown, place: string, file: string): Reference[] {
  if (Array.isArray(schema)) return schema.flatMap((part: unknown) => referencesOf(part, place, file));
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, below]) => {
    const found = referencesOf(below, `${place}.${key}`, file);
    if (!key.endsWith("Ref") || !isJsonObject(below)) return found;
    const target = below["$ref"];
    const isFile = typeof target === "string" && target.endsWith(".json");
    return [
      ...found,
      { place: `${place}.${key}`, schema: isFile ? readSchema(join(folder, file, "..", target)) : below },
    ];
  });
}

const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".schema.json") && !file.startsWith("foreign"),
);
const references = files.flatMap((file) => referencesOf(readSchema(join(folder, file)), file, file));

describe("A39 a reference to an object of another namespace", () => {
  it.each(references)("cannot be written in $place", ({ schema }) => {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    expect(Object.keys(properties).filter((key) => /namespace/iu.test(key))).toEqual([]);
    expect(schema["additionalProperties"] ?? false).toBe(false);
    const name = properties["name"];
    const pattern = isJsonObject(name) && typeof name["pattern"] === "string" ? name["pattern"] : undefined;
    if (pattern !== undefined) expect("other/name").not.toMatch(new RegExp(pattern, "u"));
  });

  it.each(["{ name: k, namespace: other }", "{ name: other/k }", "{ name: ../other/k }"])(
    "is refused in a Cluster: %s",
    (reference) => {
      const parsed = parseText(documentText("Cluster", "eu-1", `kubeConfigSecretRef: ${reference}`));
      expect(problemLines(parsed)).toHaveLength(1);
      expect(parsed.documents).toHaveLength(0);
    },
  );

  it("finds the references that there are", () => {
    expect(references.length).toBeGreaterThan(12);
  });
});
