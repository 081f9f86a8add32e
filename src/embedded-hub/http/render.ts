import { stringifyJson } from "../../core/json.ts";
import { Document, visit } from "yaml";
import type { JsonObject } from "../../core/json.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import type { ListPage, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { encodeKubeObject, protobufList } from "../protobuf/kube-protobuf.ts";
import type { Turns } from "../operations/turns.ts";
import type { Encoding, OutputForm } from "./media-types.ts";
import { mediaTypes } from "./media-types.ts";
import { needsQuotes } from "./yaml-scalars.ts";

/** What is sent. Many parts are never put together: those of a list in JSON are the texts of the store itself. */
export type Body = Buffer | string | readonly Uint8Array[] | LazyParts;

/** Each part is made when it is asked for: of a list that waits for its reader, only the items are held. */
export interface LazyParts extends Iterable<Uint8Array> {
  readonly sizeBytes: number;
}

export interface Rendered {
  readonly contentType: string;
  readonly body: Body;
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
      if (bytes === undefined) throw noProtobuf();
      return { contentType, body: bufferOf(bytes) };
    }
  }
}

/** As kube-apiserver writes it: keys in order, and quotes where a reader of YAML 1.1 would see no text. */
function renderYaml(value: unknown): string {
  const document = new Document(value, { sortMapEntries: true, aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false });
}

/** A list or a table: the fields beside its items, and the items, which are made one by one. */
export interface ItemsValue {
  readonly head: JsonObject;
  readonly key: "items" | "rows";
  readonly items: Iterable<object>;
  /** No items are null, as Go writes a list that was never made. Default: an empty list. */
  readonly isNullWhenEmpty?: boolean;
}

/** A value of many items, as {@link renderValue} has it, in slices. `as` names its protobuf message as there. */
export async function renderItems(
  value: ItemsValue,
  { encoding, turns }: { readonly encoding: Encoding; readonly turns: Turns },
  as?: string,
): Promise<Rendered> {
  const contentType = mediaTypes[encoding];
  if (encoding === "protobuf") return { contentType, body: await protobufOfItems(value, turns, as) };
  const isYaml = encoding === "yaml";
  const [before, after] = isYaml ? yamlAround(value) : jsonAround(value);
  const parts: Uint8Array[] = [];
  let text = before;
  let count = 0;
  const takeTurn = turns.begin();
  for (const item of value.items) {
    await takeTurn();
    if (isYaml) text += `- ${renderYaml(item).replaceAll(/\n(?=[^\n])/gu, "\n  ")}`;
    else text += `${count > 0 ? "," : ""}${stringifyJson(item)}`;
    count += 1;
    if (text.length < partCharacters) continue;
    parts.push(Buffer.from(text, "utf8"));
    text = "";
  }
  parts.push(Buffer.from(`${text}${after}`, "utf8"));
  return { contentType, body: parts };
}

/** Texts of so many characters become bytes together. */
const partCharacters = 64 * 1024;

function jsonAround(value: ItemsValue): readonly [string, string] {
  const { head, key } = value;
  const before = `${stringifyJson(head).slice(0, -1)},"${key}":`;
  return isNull(value) ? [`${before}null`, "}\n"] : [`${before}[`, "]}\n"];
}

function isNull({ items, isNullWhenEmpty = false }: ItemsValue): boolean {
  return isNullWhenEmpty && items[Symbol.iterator]().next().done === true;
}

/** What comes before the items and after them: the other keys, in order. */
function yamlAround(value: ItemsValue): readonly [string, string] {
  const { head, key, items } = value;
  const isEmpty = items[Symbol.iterator]().next().done === true;
  const others = Object.keys(head).sort();
  const textOf = (names: readonly string[]): string => names.map((name) => renderYaml({ [name]: head[name] })).join("");
  const before = textOf(others.filter((name) => name < key));
  return [
    `${before}${key}:${isEmpty ? (isNull(value) ? " null" : " []") : ""}\n`,
    textOf(others.filter((name) => name > key)),
  ];
}

async function protobufOfItems({ head, key, items }: ItemsValue, turns: Turns, as?: string): Promise<Body> {
  const list = protobufList(head, key, as);
  if (list === undefined) throw noProtobuf();
  const parts: Uint8Array[] = [];
  const takeTurn = turns.begin();
  for (const item of items) {
    await takeTurn();
    parts.push(list.encodeItem(item as JsonObject));
  }
  return list.around(parts);
}

function noProtobuf(): ApiFailure {
  const accepted = `${mediaTypes.json}, ${mediaTypes.yaml}`;
  return new ApiFailure(406, "NotAcceptable", `only the following media types are accepted: ${accepted}`);
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
  how: { readonly encoding: Encoding; readonly turns: Turns },
): Promise<Rendered> {
  if (how.encoding !== "json") return renderItems(listValue(definition, page), how);
  const { items } = page;
  const cut = definition.isCustom ? undefined : typePrefix(definition);
  const head = Buffer.from(listHead(definition, page), "utf8");
  let sizeBytes = head.length + Math.max(0, items.length - 1) * comma.length + tail.length;
  const takeTurn = how.turns.begin();
  for (const { json } of items) {
    await takeTurn();
    sizeBytes += json.length - cutLength(json, cut);
  }
  return { contentType: mediaTypes.json, body: { sizeBytes, [Symbol.iterator]: () => listParts(head, items, cut) } };
}

function* listParts(head: Buffer, items: ListPage["items"], cut: Buffer | undefined): Generator<Uint8Array> {
  yield head;
  for (const [index, { json }] of items.entries()) {
    if (index > 0) yield comma;
    const length = cutLength(json, cut);
    if (length > 0) yield brace;
    yield length > 0 ? json.subarray(length + brace.length) : json;
  }
  yield tail;
}

/** How much shorter an item is in its list: its text begins with `cut`, of which the brace stays. */
function cutLength(json: Uint8Array, cut: Buffer | undefined): number {
  return cut !== undefined && cut.compare(json, 0, cut.length) === 0 ? cut.length - brace.length : 0;
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
  const head = { kind: definition.listKind, apiVersion, metadata: metadataOf(definition, page) };
  return `${JSON.stringify(head).slice(0, -1)},"items":[`;
}

/** Lists of custom kinds always name where they continue. */
function metadataOf(definition: ResourceDefinition, page: ListPage): JsonObject {
  return definition.isCustom ? { continue: "", ...listMetadata(page) } : listMetadata(page);
}

function listValue(definition: ResourceDefinition, page: ListPage): ItemsValue {
  return {
    head: { kind: definition.listKind, apiVersion: apiVersionOf(definition), metadata: metadataOf(definition, page) },
    key: "items",
    items: mapLazily(page.items, ({ object }) => (definition.isCustom ? object : withoutType(object))),
  };
}

/** Each item is made when it is asked for. */
export function mapLazily<T>(items: readonly T[], make: (item: T) => object): Iterable<object> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield make(item);
    },
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

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
