import { Ajv2020 } from "ajv/dist/2020.js";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/core/json.ts";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { fileSchemas, recordSchemas } from "../../../src/model/generated/schemas.ts";
import { extensionKeywords, partsOf, readSchemas } from "./source-schemas.ts";

const kinds = readSchemas();
const fragments = readSchemas("fragments/");
const all = new Map([...kinds, ...[...fragments].map(([name, schema]) => [`fragments/${name}`, schema] as const)]);

function examplesOf(schema: JsonObject): JsonObject[] {
  return listOf(schema["examples"]).filter(isJsonObject);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function examplesOfKind(kind: string): JsonObject[] {
  const examples = [...kinds.values()].filter(({ title }) => title === kind).flatMap(examplesOf);
  if (examples.length === 0) throw new Error(`${kind} has no example`);
  return examples;
}

function strictAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(ajv);
  for (const keyword of extensionKeywords) ajv.addKeyword(keyword);
  return ajv;
}

describe("schemas/", () => {
  it("has one schema for each kind", () => {
    expect([...kinds.values()].map((schema) => schema["title"]).sort()).toEqual([
      "Cluster",
      "ClusterDefaults",
      "ClusterGroup",
      "ClusterLabels",
      "ClusterRecord",
      "ClusterRegistration",
      "ClusterRegistrationToken",
      "ClusterReport",
      "FleetSummary",
      "PlanReport",
      "Policy",
      "ProblemList",
      "Repository",
      "StatusSignature",
      "TokenRecord",
    ]);
  });

  const ajv = strictAjv();
  for (const fragment of fragments.values()) ajv.addSchema(fragment);

  it.each([...kinds])("%s compiles as it is, fragments by reference, and its examples fit", (_name, schema) => {
    const validate = ajv.compile(schema);
    expect(examplesOf(schema).length).toBeGreaterThan(0);
    for (const example of examplesOf(schema)) {
      expect(validate(example), ajv.errorsText(validate.errors)).toBe(true);
    }
  });

  it.each([...all])("%s has examples that fit, wherever it gives some", (_name, schema) => {
    for (const { path, schema: part } of partsOf(schema)) {
      if (part["examples"] === undefined) continue;
      const { $id: _id, ...body } = part;
      const base = typeof schema["$id"] === "string" ? schema["$id"] : "";
      const validate = ajv.compile({ ...body, $id: `${base}-example-${path.replaceAll(/[^a-z]/giu, "-")}` });
      for (const example of listOf(part["examples"])) {
        expect(validate(example), `${path}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
    }
  });

  it.each([...all])("%s describes every field", (_name, schema) => {
    const silent = [...partsOf(schema)].filter(({ schema: part }) => {
      const description = part["description"] ?? part["$ref"];
      return typeof description !== "string" || description.length < 3;
    });
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it.each([...all])("%s bounds every list, map, text and number", (_name, schema) => {
    expect([...partsOf(schema)].filter(({ schema: part }) => isUnbounded(part)).map(({ path }) => path)).toEqual([]);
  });
});

/** Texts in a fixed form (an enum, a date) and objects with named fields need no bound of their own. */
function isUnbounded(part: Readonly<Record<string, unknown>>): boolean {
  const type: unknown = Array.isArray(part["type"]) ? part["type"][0] : part["type"];
  switch (type) {
    case "string":
      return part["maxLength"] === undefined && part["enum"] === undefined && part["format"] !== "date-time";
    case "array":
      return part["maxItems"] === undefined;
    case "integer":
      return part["minimum"] === undefined || (part["maximum"] === undefined && part["format"] === undefined);
    case "number":
      return true;
    case "object":
      return part["properties"] === undefined && part["maxProperties"] === undefined;
    default:
      return false;
  }
}

describe("strict schemas", () => {
  const strict = Object.entries({ ...fileSchemas, ...recordSchemas });
  const ajv = strictAjv();

  it.each(strict)("%s needs no other schema and its examples fit", (kind, schema) => {
    const validate = ajv.compile(schema);
    expect(JSON.stringify(schema)).not.toContain('"$ref"');
    for (const example of examplesOfKind(kind)) {
      expect(validate(example), ajv.errorsText(validate.errors)).toBe(true);
    }
  });

  it.each(strict)("%s refuses a field that it does not know, at every depth", (_kind, schema) => {
    const open = [...partsOf(schema)].filter(
      ({ schema: part }) => isJsonObject(part["properties"]) && part["additionalProperties"] !== false,
    );
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  it.each(Object.entries(fileSchemas))("%s in a file has neither status nor metadata of the hub", (kind, schema) => {
    const validate = ajv.compile(schema);
    const [example = {}] = examplesOfKind(kind);
    expect(validate({ ...example, status: {} })).toBe(false);
    expect(validate({ ...example, metadata: { ...metadataOf(example), uid: "1" } })).toBe(false);
    expect(validate({ ...example, metadata: { ...metadataOf(example), finalizers: [] } })).toBe(false);
  });
});

function metadataOf(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isJsonObject(object["metadata"]) ? object["metadata"] : {};
}

describe("rollcall.schema.json for editors", () => {
  const editorSchema = readSchemas("generated/").get("rollcall.schema.json") ?? {};
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(editorSchema);

  it("accepts every example of a file and refuses a misspelt field in it", () => {
    for (const schema of kinds.values()) {
      if (!isJsonObject(schema["x-rollcall"]) || schema["x-rollcall"]["in"] !== "file") continue;
      for (const example of examplesOf(schema)) {
        expect(validate(example), ajv.errorsText(validate.errors)).toBe(true);
        expect(validate({ ...example, spce: {} })).toBe(false);
      }
    }
  });

  it("refuses an unknown kind of our group and leaves other groups alone", () => {
    const metadata = { name: "a" };
    expect(validate({ apiVersion: "rollcall.dev/v1alpha1", kind: "Clutser", metadata })).toBe(false);
    expect(validate({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 1 } })).toBe(true);
  });
});
