import { describe, expect, it } from "vitest";
import { keepFields } from "../../../src/install/keep-fields.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const text = { type: "string" };

describe("keepFields", () => {
  it.each([
    { reason: "beside ours", ours: { a: text }, live: { b: text }, expected: { b: text, a: text } },
    {
      reason: "in an object",
      ours: { a: { properties: { b: text } } },
      live: { a: { properties: { c: text } } },
      expected: { a: { properties: { c: text, b: text } } },
    },
    {
      reason: "in a list",
      ours: { a: { items: { properties: { b: text } } } },
      live: { a: { items: { properties: { c: text } } } },
      expected: { a: { items: { properties: { c: text, b: text } } } },
    },
    {
      reason: "in a map",
      ours: { a: { additionalProperties: { properties: { b: text } } } },
      live: { a: { additionalProperties: { properties: { c: text } } } },
      expected: { a: { additionalProperties: { properties: { c: text, b: text } } } },
    },
  ])("keeps a field $reason that only the hub's definition has", ({ ours, live, expected }) => {
    expect(keepFields(definition(ours), definition(live))).toEqual(definition(expected));
  });

  it("takes every other part of ours", () => {
    const ours = definition({ a: { type: "string", maxLength: 10 }, free: { type: "object" } });
    const live = definition({ a: { type: "string", maxLength: 5, enum: ["x"] }, free: { properties: { b: text } } });
    expect(keepFields(ours, live)).toEqual(ours);
  });

  it("leaves versions alone that only one of them has", () => {
    const ours = definition({ a: text });
    expect(keepFields(ours, definition({ b: text }, "v2"))).toEqual(ours);
  });
});

function definition(fields: object, name = "v1"): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: { versions: [{ name, schema: { openAPIV3Schema: { type: "object", properties: fields } } }] },
  };
}
