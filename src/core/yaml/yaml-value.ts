import type { Document, Node, Pair } from "yaml";
import { isAlias, isMap, isPair, isScalar, isSeq } from "yaml";
import type { Json } from "../json.ts";

export interface YamlValue {
  readonly value: Json;
  /** Keys that stand in their map again, and where; the last one counts. */
  readonly duplicates: readonly { readonly key: string; readonly offset: number }[];
  /** Why there is no value. */
  readonly refusal?: YamlRefusal;
}

export interface YamlRefusal {
  readonly kind: "unknown alias" | "alias in itself" | "too many aliases" | "key is no scalar" | "too deep";
  readonly offset: number;
  /** The name of the alias. */
  readonly name?: string;
}

/** Values and UTF-16 units of text that the aliases of one document may stand for, together. */
const maxAliasSize = 10_000;

interface Conversion {
  readonly anchors: Map<string, Anchored | undefined>;
  readonly duplicates: { key: string; offset: number }[];
  readonly maxDepth: number;
  /** Values and units of text so far, those that aliases stand for included. */
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
 * Plain JSON of a document that was composed within its bounds. An alias is counted before its value is used, and what
 * it stands for is shared, not copied. Linear in the document. Never throws.
 */
export function yamlValue(document: Document.Parsed, maxDepth: number): YamlValue {
  const conversion: Conversion = {
    anchors: new Map(),
    duplicates: [],
    maxDepth,
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
  const { value } = node;
  if (typeof value === "string") conversion.size += value.length;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return { value, depth: 0 };
  return typeof value === "bigint" ? { value: Number(value), depth: 0 } : nothing;
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
    const key = keyOf(pair.key, conversion);
    if (key === undefined) return nothing;
    const each = convert(pair.value, conversion, level + 1);
    depth = Math.max(depth, each.depth);
    if (Object.hasOwn(object, key)) conversion.duplicates.push({ key, offset: offsetOf(pair.key) });
    // Assigning to __proto__ would set the prototype.
    if (key === "__proto__")
      Object.defineProperty(object, key, { value: each.value, enumerable: true, configurable: true, writable: true });
    else object[key] = each.value;
  }
  return { value: object, depth: depth + 1 };
}

function keyOf(key: Node | null, conversion: Conversion): string | undefined {
  if (key === null) return "";
  const anchor = anchorOf(key);
  const { value } = isAlias(key) ? convert(key, conversion, 0) : { value: isScalar(key) ? key.value : undefined };
  const text = keyText(value);
  if (text === undefined) {
    refuse(conversion, "key is no scalar", key);
    return undefined;
  }
  conversion.size += 1 + text.length;
  if (anchor !== undefined) conversion.anchors.set(anchor, { value: text, size: 1 + text.length, depth: 0 });
  return text;
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
