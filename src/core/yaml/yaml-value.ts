import { wholeNumber } from "../exact-json.ts";
import type { Document, Node, Pair, Scalar } from "yaml";
import { isAlias, isMap, isPair, isScalar, isSeq } from "yaml";
import type { Json } from "../json.ts";
import { isJsonObject } from "../json.ts";

export interface YamlValue {
  readonly value: Json;
  /** Keys that are repeated in their map, and where; the last one counts. */
  readonly duplicates: readonly { readonly key: string; readonly offset: number }[];
  /** Why there is no value. */
  readonly refusal?: YamlRefusal;
}

export interface YamlRefusal {
  readonly kind:
    | "unknown alias"
    | "alias in itself"
    | "too many aliases"
    | "key is no scalar"
    | "too deep"
    | "no JSON"
    | "merges no map";
  readonly offset: number;
  /** The name of the alias, or the value that JSON does not have. */
  readonly name?: string;
}

/** Values and UTF-16 units of text that the aliases of one document may expand to, together. */
const maxAliasSize = 10_000;

export interface YamlOptions {
  readonly maxDepth: number;
  /**
   * Resolves scalars, in place of the schema that the document was composed with; `<<` then merges maps, as in YAML
   * 1.1. A number that is not finite refuses the document.
   */
  readonly resolve?: YamlResolver | undefined;
}

export interface YamlResolver {
  /** A plain scalar without a tag. */
  readonly plain: (text: string) => Json;
  /** The same as the key of a map; undefined when it can be none. */
  readonly key: (text: string) => string | undefined;
  /** A scalar with a tag; undefined for a value that the tag does not fit. */
  readonly tagged: (tag: string, text: string) => Json | undefined;
}

interface Conversion {
  readonly anchors: Map<string, Anchored | undefined>;
  readonly duplicates: { key: string; offset: number }[];
  readonly maxDepth: number;
  readonly resolve: YamlOptions["resolve"];
  /** Values and units of text so far, those that aliases expand to included. */
  size: number;
  aliasSize: number;
  refusal: YamlRefusal | undefined;
}

interface Anchored {
  readonly value: Json;
  readonly size: number;
  readonly depth: number;
}

/**
 * Plain JSON of a document that was composed within its bounds. An alias is counted before its value is used, and its
 * value is shared, not copied. Linear in the document. Never throws.
 */
export function yamlValue(document: Document.Parsed, { maxDepth, resolve }: YamlOptions): YamlValue {
  const conversion: Conversion = {
    anchors: new Map(),
    duplicates: [],
    maxDepth,
    resolve,
    size: 0,
    aliasSize: 0,
    refusal: undefined,
  };
  const { value } = convert(document.contents, conversion, 0);
  const { duplicates, refusal } = conversion;
  return refusal === undefined ? { value, duplicates } : { value: null, duplicates, refusal };
}

interface Converted {
  readonly value: Json;
  /** Levels of collections in it. */
  readonly depth: number;
}

const nothing: Converted = { value: null, depth: 0 };

function convert(node: Node | null | undefined, conversion: Conversion, level: number): Converted {
  const sizeBefore = conversion.size++;
  if (node === null || node === undefined || conversion.refusal !== undefined) return nothing;
  if (isAlias(node)) return convertAlias(node.source, node, conversion, level);
  const anchor = anchorOf(node);
  if (anchor !== undefined) conversion.anchors.set(anchor, undefined);
  const converted = convertContent(node, conversion, level);
  if (anchor !== undefined) conversion.anchors.set(anchor, { ...converted, size: conversion.size - sizeBefore });
  return converted;
}

function anchorOf(node: object): string | undefined {
  return "anchor" in node && typeof node.anchor === "string" ? node.anchor : undefined;
}

function convertContent(node: Node, conversion: Conversion, level: number): Converted {
  if (isMap<Node, Node | null>(node)) return convertMap(node.items, conversion, level);
  if (isSeq<Node>(node)) return convertList(node.items, conversion, level);
  if (!isScalar(node)) return nothing;
  const value = scalarOf(node, conversion);
  if (value === undefined && conversion.resolve !== undefined) return refuse(conversion, "no JSON", node, node.tag);
  if (typeof value === "number" && !Number.isFinite(value) && conversion.resolve !== undefined) {
    return refuse(conversion, "no JSON", node, Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
  }
  if (typeof value === "string") conversion.size += value.length;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return { value, depth: 0 };
  return typeof value === "bigint" ? { value: wholeNumber(value), depth: 0 } : nothing;
}

function scalarOf(node: Scalar, { resolve }: Conversion): unknown {
  if (resolve === undefined) return node.value;
  const { source = "", tag } = node;
  if (tag !== undefined) return resolve.tagged(tag, source);
  return node.type === "PLAIN" ? resolve.plain(source) : node.value;
}

function convertAlias(name: string, node: Node, conversion: Conversion, level: number): Converted {
  const anchored = conversion.anchors.get(name);
  if (anchored === undefined) {
    const kind = conversion.anchors.has(name) ? "alias in itself" : "unknown alias";
    return refuse(conversion, kind, node, name);
  }
  conversion.size += anchored.size;
  conversion.aliasSize += anchored.size;
  if (conversion.aliasSize > maxAliasSize) return refuse(conversion, "too many aliases", node, name);
  if (level + anchored.depth > conversion.maxDepth) return refuse(conversion, "too deep", node);
  return { value: anchored.value, depth: anchored.depth };
}

function convertList(items: readonly Node[], conversion: Conversion, level: number): Converted {
  let depth = 0;
  const value = items.map((item) => {
    // `[a: b]` is a list of a map.
    const each = isPair<Node, Node | null>(item)
      ? convertMap([item], conversion, level + 1)
      : convert(item, conversion, level + 1);
    depth = Math.max(depth, each.depth);
    return each.value;
  });
  return { value, depth: depth + 1 };
}

function convertMap(items: readonly Pair<Node, Node | null>[], conversion: Conversion, level: number): Converted {
  const object: Record<string, Json> = {};
  let depth = 0;
  for (const pair of items) {
    const isMerge = isMergeKey(pair.key, conversion);
    const key = keyOf(pair.key, conversion);
    if (key === undefined) return nothing;
    const each = convert(pair.value, conversion, level + 1);
    depth = Math.max(depth, each.depth);
    const offset = offsetOf(pair.key);
    if (isMerge) mergeMaps(object, each.value, conversion, offset);
    else setKey(object, { key, value: each.value, offset }, conversion);
  }
  return { value: object, depth: depth + 1 };
}

function isMergeKey(key: Node | null, { resolve }: Conversion): boolean {
  return resolve !== undefined && isScalar(key) && key.type === "PLAIN" && key.source === "<<";
}

/** Of several maps the first one counts; all of them override earlier keys. */
function mergeMaps(object: Record<string, Json>, merged: Json, conversion: Conversion, offset: number): void {
  const maps = Array.isArray(merged) ? (merged as readonly Json[]).toReversed() : [merged];
  for (const map of maps) {
    if (!isJsonObject(map)) {
      conversion.refusal ??= { kind: "merges no map", offset };
      return;
    }
    for (const [key, item = null] of Object.entries(map)) setKey(object, { key, value: item, offset }, conversion);
  }
}

function setKey(
  object: Record<string, Json>,
  { key, value, offset }: { readonly key: string; readonly value: Json; readonly offset: number },
  conversion: Conversion,
): void {
  if (Object.hasOwn(object, key)) conversion.duplicates.push({ key, offset });
  // Assigning to __proto__ would set the prototype.
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function keyOf(key: Node | null, conversion: Conversion): string | undefined {
  if (key === null) return "";
  const anchor = anchorOf(key);
  const { value } = isAlias(key)
    ? convert(key, conversion, 0)
    : { value: isScalar(key) ? keyScalar(key, conversion) : undefined };
  const text = keyText(value);
  if (text === undefined) {
    refuse(conversion, "key is no scalar", key);
    return undefined;
  }
  conversion.size += 1 + text.length;
  if (anchor !== undefined) conversion.anchors.set(anchor, { value: text, size: 1 + text.length, depth: 0 });
  return text;
}

function keyScalar(key: Scalar, conversion: Conversion): unknown {
  const isPlain = key.type === "PLAIN" && key.tag === undefined;
  const { resolve } = conversion;
  return resolve !== undefined && isPlain ? resolve.key(key.source ?? "") : scalarOf(key, conversion);
}

function keyText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value === null) return "";
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint"
    ? value.toString()
    : undefined;
}

function refuse(conversion: Conversion, kind: YamlRefusal["kind"], node: Node, name?: string): Converted {
  conversion.refusal ??= { kind, offset: offsetOf(node), ...(name === undefined ? {} : { name }) };
  return nothing;
}

function offsetOf(node: { range?: unknown } | null | undefined): number {
  const range = node?.range;
  const start: unknown = Array.isArray(range) ? range[0] : undefined;
  return typeof start === "number" ? start : 0;
}
