import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { encodeOpenApiV3 } from "../../../../src/embedded-hub/discovery/openapi-v3-protobuf.ts";
import { fieldsAt } from "./protobuf-fields.ts";

function at(document: JsonObject, ...path: readonly number[]): string[] {
  return fieldsAt(encodeOpenApiV3(document), ...path);
}

const schema = (own: JsonObject): JsonObject => ({ components: { schemas: { Thing: own } } });
/** Document, Components, Schemas, its first entry, value, Schema. */
const thing = [5, 1, 1, 2, 1];

describe("a document of OpenAPI v3 in protobuf", () => {
  it("has its texts, numbers and lists under the numbers of the published form", () => {
    expect(at({ openapi: "3.0.0", info: { title: "T", version: "v" } }, 2)).toEqual(["1:T", "6:v"]);
    const own = { type: "object", required: ["a", "b"], maximum: 1.5, maxItems: 3, nullable: true, minLength: 0 };
    expect(at(schema(own), ...thing).sort()).toEqual(["11=1.5", "16=0", "18=3", "1=1", "23:a", "23:b", "25:object"]);
  });

  it("has references, items, other values, defaults and extensions", () => {
    const reference = { $ref: "#/components/schemas/Other" };
    expect(at(schema({ items: reference }), ...thing, 30, 1, 2)).toEqual(["1:#/components/schemas/Other"]);
    expect(at(schema({ additionalProperties: { type: "string" } }), ...thing, 32, 1, 1)).toEqual(["25:string"]);
    expect(at(schema({ additionalProperties: false }), ...thing, 32)).toEqual(["2=0"]);
    expect(at(schema({ default: "x" }), ...thing, 33)).toEqual(["3:x"]);
    expect(at(schema({ default: {} }), ...thing, 33)).toEqual([]);
    expect(at(schema({ "x-kubernetes-list-type": "atomic" }), ...thing, 36)).toEqual([
      "1:x-kubernetes-list-type",
      '2:\u0012\t"atomic"\n',
    ]);
    expect(at(schema({ enum: [["a"]] }), ...thing, 24)).toEqual(['2:["a"]\n']);
    expect(at(schema({ "x-keys": ["a", "b"] }), ...thing, 36, 2)).toEqual(['2:["a","b"]\n']);
  });

  it("has paths, answers by code, and fields whose names are those of the table's own", () => {
    const responses = { "200": { description: "OK" }, default: { description: "other" } };
    const document = { paths: { "/a": { get: { operationId: "read", responses } } } };
    expect(at(document, 4, 1, 2, 4)[0]).toBe("5:read");
    expect(at(document, 4, 1, 2, 4, 8, 2, 2, 1)).toEqual(["1:OK"]);
    expect(at(document, 4, 1, 2, 4, 8, 1, 1)).toEqual(["1:other"]);
    for (const name of ["*", "x-kubernetes-list-type"]) {
      expect(at({ components: { schemas: { [name]: { type: "string" } } } }, 5, 1, 1)[0]).toBe(`1:${name}`);
    }
  });
});
