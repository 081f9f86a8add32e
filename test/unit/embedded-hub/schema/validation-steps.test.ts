import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { validateDefaults } from "../../../../src/embedded-hub/resources/validate-crd-defaults.ts";
import { applyDefaults } from "../../../../src/embedded-hub/schema/apply-defaults.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { validateBySchema } from "../../../../src/embedded-hub/schema/validate-object.ts";
import { stepsLeft } from "../../../../src/embedded-hub/schema/validation-steps.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));
const text = { type: "string" } as const;

/** Schemas of items with a list of the length, and items beside it. */
const products: readonly (readonly [string, (count: number) => Schema, (index: number) => Json])[] = [
  [
    "values of an enumeration",
    (count) => ({ ...text, enum: many(count, (index) => `e${index}`) }),
    (index) => `x${index}`,
  ],
  ["alternatives", (count) => ({ ...text, anyOf: many(count, (index) => ({ pattern: `^e${index}$` })) }), () => "x"],
  ["further schemas", (count) => ({ ...text, allOf: many(count, () => ({ maxLength: 1 })) }), (index) => `x${index}`],
  ["required fields", (count) => ({ type: "object", required: many(count, (index) => `r${index}`) }), () => ({})],
  [
    "defaults",
    (count) => ({ type: "object", properties: named(count, () => ({ ...text, default: "a" })) }),
    () => ({}),
  ],
];

function inList(items: Schema): Schema {
  return { type: "object", properties: { spec: { type: "array", items } } };
}

describe("an object whose list is long beside a list of its schema", () => {
  it.each(products)("A257 takes too long, and is not validated: items and %s", async (_what, schemaOf, itemOf) => {
    const schema = inList(schemaOf(1000));
    const object = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "a" }, spec: many(1000, itemOf) };
    expect(stepsLeft(object, schema)).toBeLessThan(0);
    const hub = await startMemoryHub([
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "things.example.org" },
        spec: {
          group: "example.org",
          scope: "Cluster",
          names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      },
    ]);
    const definition = hub.definitionOf("example.org/v1", "Thing");
    const context = { user: { username: "a", groups: [] }, fieldManager: "a", isDryRun: true, warnings: [] };
    const created = hub.operations.create({ ...context, fieldValidation: "Ignore" }, { definition }, object);
    await expect(created).rejects.toMatchObject({ status: { code: 413 } });
    const part: Schema = { type: "array", items: schemaOf(1000), default: object.spec };
    const faults = validateDefaults({ type: "object", properties: { spec: part as JsonObject } }, "s");
    expect(faults.map(({ message }) => message)).toEqual(["Forbidden: defaults take too long to validate"]);
  });

  it.each(products)("A257 takes some tenths of a second at most: items and %s", (_what, schemaOf, itemOf) => {
    const schema = inList(schemaOf(250));
    const object = { spec: many(250, itemOf) };
    expect(stepsLeft(object, schema)).toBeGreaterThanOrEqual(0);
    const work = () => validateBySchema(applyDefaults(object, schema), schema);
    expect(leastCpuMs(work, 600)).toBeLessThan(600);
  });

  it("A257 names more problems than a call has arguments", () => {
    const schema = inList({ type: "object", required: many(400, (index) => `r${index}`) });
    expect(validateBySchema({ spec: many(400, () => ({})) }, schema)).toHaveLength(160_000);
  });

  it("is far from that when it is large and real", () => {
    const container: Schema = {
      type: "object",
      properties: named(30, () => ({ ...text, enum: many(10, (index) => `${index}`) })),
    };
    const object = { spec: many(600, () => named(30, () => "1")) };
    expect(stepsLeft(object, inList(container))).toBeGreaterThan(150_000);
  });
});
