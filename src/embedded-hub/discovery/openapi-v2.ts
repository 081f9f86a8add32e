import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { DescribeMessage } from "./descriptions.ts";
import { encodeOpenApiV2 } from "./openapi-v2-protobuf.ts";
import type { SchemaCollection } from "./openapi-schemas.ts";
import { collectKind, collectList } from "./openapi-schemas.ts";
import type { OpenApiDocument } from "./openapi-v3.ts";
import type { ServedResources } from "./resource-lists.ts";
import { hubVersion } from "./version.ts";

interface VersionedResources extends ServedResources {
  /** Increases with every change. */
  readonly version: number;
}

/**
 * `/openapi/v2`: the schemas of everything served. Paths are left out: clients that still read this document want its
 * definitions. What Swagger 2 cannot express (alternatives, null) is left out of the schemas of custom kinds.
 * A class for its cache, which a changed CRD empties.
 */
export class OpenApiV2 {
  private readonly served: VersionedResources;
  private readonly describe: DescribeMessage;
  private json: OpenApiDocument | undefined;
  private protobuf: Buffer | undefined;
  private madeAtVersion = -1;

  constructor(served: VersionedResources, describe: DescribeMessage) {
    this.served = served;
    this.describe = describe;
  }

  document(): OpenApiDocument {
    if (this.json !== undefined && this.madeAtVersion === this.served.version) return this.json;
    this.madeAtVersion = this.served.version;
    this.protobuf = undefined;
    const body = JSON.stringify(swaggerOf(this.served, this.describe));
    this.json = { body, hash: createHash("sha512").update(body).digest("hex").toUpperCase() };
    return this.json;
  }

  /** The same in protobuf; its hash is that of the JSON. */
  protobufBody(): Buffer {
    this.document();
    this.protobuf ??= encodeOpenApiV2(swaggerOf(this.served, this.describe));
    return this.protobuf;
  }
}

function swaggerOf(served: ServedResources, describe: DescribeMessage): JsonObject {
  const collection: SchemaCollection = { root: "#/definitions/", schemas: {}, describe };
  for (const definition of served.definitions()) {
    collectKind(collection, definition);
    collectList(collection, definition);
  }
  const definitions = Object.entries(collection.schemas).map(
    ([name, schema]) => [name, toSwaggerKind(schema)] as const,
  );
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: hubVersion.gitVersion },
    paths: {},
    definitions: Object.fromEntries(definitions),
  };
}

/** Defaults are of custom kinds alone: kube-apiserver leaves them out, too. */
const unknownInSwagger = new Set(["allOf", "oneOf", "anyOf", "not", "nullable", "default"]);
const keepsUnknown = "x-kubernetes-preserve-unknown-fields";

/** Where a value is open, or may be null, this document must not declare its content. */
function toSwagger(schema: JsonObject): JsonObject {
  const isOpen = schema[keepsUnknown] === true;
  const isHidden = isOpen || schema["nullable"] === true;
  const isUntyped = schema["type"] === "array" ? isHidden || schema["items"] === undefined : isHidden;
  const { properties } = schema;
  const nullable = new Set(
    isJsonObject(properties) ? Object.keys(properties).filter((name) => isNullable(properties[name])) : [],
  );
  const result: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (unknownInSwagger.has(key) || (isUntyped && key === "type")) continue;
    if (isHidden && (key === "items" || key === "properties")) continue;
    if (key === "properties" && isJsonObject(value)) result[key] = mapValues(value);
    else if ((key === "items" || key === "additionalProperties") && isJsonObject(value)) result[key] = toSwagger(value);
    else if (key === "required" && Array.isArray(value)) {
      const kept = (value as readonly Json[]).filter((name) => typeof name !== "string" || !nullable.has(name));
      if (kept.length > 0) result[key] = kept;
    } else result[key] = value;
  }
  return result;
}

function isNullable(schema: Json | undefined): boolean {
  return isJsonObject(schema) && schema["nullable"] === true;
}

/** A kind that keeps unknown fields is described as an object without fields. */
function toSwaggerKind(schema: JsonObject): JsonObject {
  const names = schema["x-kubernetes-group-version-kind"];
  if (schema[keepsUnknown] !== true || names === undefined) return toSwagger(schema);
  return { type: "object", "x-kubernetes-group-version-kind": names };
}

function mapValues(properties: JsonObject): JsonObject {
  const result: Record<string, Json | undefined> = {};
  for (const [name, schema] of Object.entries(properties)) {
    result[name] = isJsonObject(schema) ? toSwagger(schema) : schema;
  }
  return result;
}
