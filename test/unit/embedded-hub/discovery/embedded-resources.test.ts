import { describe, expect, it } from "vitest";
import { expandEmbedded } from "../../../../src/embedded-hub/discovery/embedded-resources.ts";

const metadata = { allOf: [{ $ref: "#/components/schemas/ObjectMeta" }] };
const text = { type: "string", description: expect.any(String) as string };
const embedded = {
  properties: { apiVersion: text, kind: text, metadata: { ...metadata, description: text.description } },
  required: ["kind", "apiVersion"],
};
const open = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
const closed = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  required: ["spec", "kind"],
  properties: { metadata: { type: "object" }, spec: { type: "object" } },
};
const schema = {
  type: "object",
  properties: {
    open,
    closed,
    list: { type: "array", items: open },
    map: { type: "object", additionalProperties: open },
    port: { "x-kubernetes-int-or-string": true },
    own: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] },
  },
};

describe("expandEmbedded", () => {
  const closedExpanded = {
    ...closed,
    properties: { ...embedded.properties, spec: { type: "object" } },
    required: ["spec", "kind", "apiVersion"],
  };
  const port = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] };

  it("gives objects within an object their type and metadata, wherever they stand", () => {
    const whole = { ...open, ...embedded };
    expect(expandEmbedded(schema, { metadata, isSwagger: false })).toEqual({
      type: "object",
      properties: {
        open: whole,
        closed: closedExpanded,
        list: { type: "array", items: whole },
        map: { type: "object", additionalProperties: whole },
        port,
        own: schema.properties.own,
      },
    });
  });

  it("leaves those with further fields as they are in OpenAPI v2", () => {
    expect(expandEmbedded(schema, { metadata, isSwagger: true })).toEqual({
      ...schema,
      properties: { ...schema.properties, closed: closedExpanded, port },
    });
  });
});
