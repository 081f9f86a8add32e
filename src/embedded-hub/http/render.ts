import { stringifyJson } from "../../core/json.ts";
import { Document, visit } from "yaml";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import type { ListPage, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { encodeKubeObject } from "../protobuf/kube-protobuf.ts";
import type { Encoding, OutputForm } from "./media-types.ts";
import { mediaTypes } from "./media-types.ts";
import { needsQuotes } from "./yaml-scalars.ts";

export interface Rendered {
  readonly contentType: string;
  readonly body: Buffer | string;
}

/** Any JSON value that has a kind: an object, a Status, a Table. `as` names its protobuf message if it is not its kind's. */
export function renderValue(value: object, encoding: Encoding, as?: string): Rendered {
  const contentType = mediaTypes[encoding];
  switch (encoding) {
    case "json":
      return { contentType, body: `${stringifyJson(value)}\n` };
    case "yaml":
      return { contentType, body: renderYaml(value) };
    case "protobuf": {
      const bytes = encodeKubeObject(value as JsonObject, as);
      if (bytes !== undefined) return { contentType, body: bufferOf(bytes) };
      const accepted = `${mediaTypes.json}, ${mediaTypes.yaml}`;
      throw new ApiFailure(406, "NotAcceptable", `only the following media types are accepted: ${accepted}`);
    }
  }
}

/** As kube-apiserver writes it: keys in order, and quotes where a reader of YAML 1.1 would see no text. */
function renderYaml(value: object): string {
  const document = new Document(value, { sortMapEntries: true });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false });
}

/** A stored object; its text is made once for all readers. */
export function renderServed(served: ServedObject, { encoding }: OutputForm): Rendered {
  if (encoding !== "json") return renderValue(served.object, encoding);
  return { contentType: mediaTypes.json, body: bufferOf(served.json) };
}

/** A list without parsing or copying its items. */
export function renderList(definition: ResourceDefinition, page: ListPage, { encoding }: OutputForm): Rendered {
  if (encoding !== "json") return renderValue(listValue(definition, page), encoding);
  const cut = definition.isCustom ? undefined : typePrefix(definition);
  const parts: Uint8Array[] = [Buffer.from(listHead(definition, page), "utf8")];
  for (const [index, { json }] of page.items.entries()) {
    if (index > 0) parts.push(comma);
    if (cut === undefined || cut.compare(json, 0, cut.length) !== 0) parts.push(json);
    else parts.push(brace, json.subarray(cut.length));
  }
  parts.push(tail);
  return { contentType: mediaTypes.json, body: Buffer.concat(parts) };
}

const comma = Buffer.from(",");
const brace = Buffer.from("{");
const tail = Buffer.from("]}\n");

/** Items of built-in kinds carry no apiVersion and kind in lists: so their texts begin. */
function typePrefix(definition: ResourceDefinition): Buffer {
  const start = JSON.stringify({ apiVersion: apiVersionOf(definition), kind: definition.kind });
  return Buffer.from(`${start.slice(0, -1)},`, "utf8");
}

function listHead(definition: ResourceDefinition, page: ListPage): string {
  const apiVersion = apiVersionOf(definition);
  const metadata = definition.isCustom ? { continue: "", ...listMetadata(page) } : listMetadata(page);
  const head = { kind: definition.listKind, apiVersion, metadata };
  return `${JSON.stringify(head).slice(0, -1)},"items":[`;
}

export function listValue(definition: ResourceDefinition, page: ListPage): object {
  return {
    kind: definition.listKind,
    apiVersion: apiVersionOf(definition),
    metadata: listMetadata(page),
    items: page.items.map(({ object }) => (definition.isCustom ? object : withoutType(object))),
  };
}

export function listMetadata(page: ListPage): Readonly<Record<string, string | number>> {
  const { revision, continueToken, remainingCount } = page;
  return {
    resourceVersion: String(revision),
    ...(continueToken === undefined ? {} : { continue: continueToken }),
    ...(remainingCount === undefined ? {} : { remainingItemCount: remainingCount }),
  };
}

function withoutType({ apiVersion: _, kind: __, ...rest }: KubeObject): object {
  return rest;
}

function apiVersionOf({ group, version }: ResourceDefinition): string {
  return group === "" ? version : `${group}/${version}`;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
