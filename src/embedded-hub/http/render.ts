import { setImmediate } from "node:timers/promises";
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
function renderYaml(value: unknown): string {
  const document = new Document(value, { sortMapEntries: true });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false });
}

/** Characters of YAML that are written before others have their turn: about 20 ms. */
const sliceCharacters = 64 * 1024;

/** A value with many items, as {@link renderValue} has it; in YAML, which is slow, item by item, with turns for others. */
export async function renderItems(value: object, encoding: Encoding, as?: string): Promise<Rendered> {
  if (encoding !== "yaml") return renderValue(value, encoding, as);
  const parts: string[] = [];
  let sinceCharacters = 0;
  for (const [key, content] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (content === undefined) continue;
    const items: readonly unknown[] = Array.isArray(content) ? content : [];
    parts.push(items.length === 0 ? renderYaml({ [key]: content as unknown }) : `${key}:\n`);
    for (const item of items) {
      const text = `- ${renderYaml(item).replaceAll(/\n(?=[^\n])/gu, "\n  ")}`;
      parts.push(text);
      sinceCharacters += text.length;
      if (sinceCharacters < sliceCharacters) continue;
      await setImmediate();
      sinceCharacters = 0;
    }
  }
  return { contentType: mediaTypes.yaml, body: parts.join("") };
}

/** A stored object; its text is made once for all readers. */
export function renderServed(served: ServedObject, { encoding }: OutputForm): Rendered {
  if (encoding !== "json") return renderValue(served.object, encoding);
  return { contentType: mediaTypes.json, body: bufferOf(served.json) };
}

/** A list; as JSON without parsing or copying its items. */
export async function renderList(
  definition: ResourceDefinition,
  page: ListPage,
  { encoding }: OutputForm,
): Promise<Rendered> {
  if (encoding !== "json") return renderItems(listValue(definition, page), encoding);
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
