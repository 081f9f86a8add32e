import { createHash } from "node:crypto";
import type { JsonObject } from "../../core/json.ts";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";
import { messageTypeOfKind } from "../types/type-registry.ts";
import type { DescribeMessage } from "./descriptions.ts";
import { encodeOpenApiV3 } from "./openapi-v3-protobuf.ts";
import { pathsOf } from "./openapi-paths.ts";
import type { SchemaCollection } from "./openapi-schemas.ts";
import { collectKind, collectList, collectMessage, reference } from "./openapi-schemas.ts";
import type { ServedResources } from "./resource-lists.ts";
import { definitionsOf } from "./resource-lists.ts";
import { hubVersion } from "./version.ts";

export interface OpenApiDocument {
  readonly body: string;
  /** Upper-case hex; clients keep documents by it. */
  readonly hash: string;
}

interface VersionedResources extends ServedResources {
  /** Increases with every change. */
  readonly version: number;
}

/** Documents of OpenAPI v3, made when they are first asked for. A class for its cache, which a changed CRD empties. */
export class OpenApiV3 {
  private readonly served: VersionedResources;
  private readonly describe: DescribeMessage;
  private documents = new Map<string, OpenApiDocument>();
  private protobufs = new Map<string, Buffer>();
  private madeAtVersion = -1;

  constructor(served: VersionedResources, describe: DescribeMessage) {
    this.served = served;
    this.describe = describe;
  }

  /** `/openapi/v3`: where the documents are. */
  index(): string {
    const groupVersions = this.served
      .groups()
      .flatMap(({ name, versions }) =>
        versions.map((version) => (name === "" ? `api/${version}` : `apis/${name}/${version}`)),
      );
    const paths = groupVersions.map((path) => {
      const hash = this.document(path)?.hash ?? "";
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
    });
    return JSON.stringify({ paths: Object.fromEntries(paths) });
  }

  /** The document of `api/v1` or `apis/<group>/<version>`; undefined when that is not served. */
  document(path: string): OpenApiDocument | undefined {
    if (this.madeAtVersion !== this.served.version) {
      this.documents = new Map();
      this.protobufs = new Map();
      this.madeAtVersion = this.served.version;
    }
    const known = this.documents.get(path);
    if (known !== undefined) return known;
    const definitions = this.definitionsAt(path);
    if (definitions.length === 0) return undefined;
    const body = JSON.stringify(contentOf(definitions, this.describe));
    const document = { body, hash: createHash("sha512").update(body).digest("hex").toUpperCase() };
    this.documents.set(path, document);
    return document;
  }

  /** The same in protobuf; its hash is that of the JSON. */
  protobufBody(path: string): Buffer | undefined {
    if (this.document(path) === undefined) return undefined;
    const body = this.protobufs.get(path) ?? encodeOpenApiV3(contentOf(this.definitionsAt(path), this.describe));
    this.protobufs.set(path, body);
    return body;
  }

  private definitionsAt(path: string): readonly ResourceDefinition[] {
    const [root, ...rest] = path.split("/");
    const [group = "", version = ""] = root === "api" ? ["", ...rest] : rest;
    // Any other form is another path, and must not fill the cache.
    const written = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    return path === written ? definitionsOf(this.served, group, version) : [];
  }
}

function contentOf(definitions: readonly ResourceDefinition[], describe: DescribeMessage): JsonObject {
  const collection: SchemaCollection = { root: "#/components/schemas/", schemas: {}, describe };
  const paths: Record<string, JsonObject> = {};
  for (const definition of definitions) {
    const object = reference(collection, collectKind(collection, definition));
    const list = collectList(collection, definition);
    const schemas = { object, list: list === undefined ? undefined : reference(collection, list) };
    const schemaOf = (subresource: SubresourceDefinition): JsonObject =>
      subresourceSchema(collection, subresource, object);
    Object.assign(paths, pathsOf(definition, schemas, schemaOf));
  }
  collectMessage(collection, "meta.Status");
  collectMessage(collection, "meta.DeleteOptions");
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: hubVersion.gitVersion },
    paths,
    components: { schemas: collection.schemas },
  };
}

function subresourceSchema(
  collection: SchemaCollection,
  { kind }: SubresourceDefinition,
  object: JsonObject,
): JsonObject {
  const message = kind === undefined ? undefined : messageTypeOfKind(kind.group, kind.version, kind.kind);
  return message === undefined ? object : reference(collection, collectMessage(collection, message.name));
}
