import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Json } from "../core/json.ts";
import { otherReadingOf } from "./ambiguous-scalar.ts";
import type { YamlFinding } from "./yaml-document.ts";

/** Aliases of one document may expand to this many values together. */
const maxAliasNodes = 100;

/** Entries of one map or list. */
const maxEntries = 10_000;

interface Conversion {
  /** The value of each anchor; undefined while it is being read. */
  readonly anchors: Map<string, { readonly value: Json; readonly nodes: number } | undefined>;
  readonly findings: YamlFinding[];
  /** Values so far, those that aliases expand to included. */
  nodes: number;
  /** Values so far that aliases expanded to. */
  aliasNodes: number;
  /** Reported once; later aliases belong to the same bomb. */
  areAliasesSpent: boolean;
}

/**
 * Plain JSON of a composed document, and what YAML may contain but files of a fleet may not: duplicate keys, merge
 * keys, keys that are not text, numbers that JSON cannot carry, aliases that grow. Nothing is expanded before it is
 * counted. Scalars that other readers take differently give a warning.
 */
export function yamlToJson(document: Document.Parsed): { value: Json; findings: YamlFinding[] } {
  const conversion: Conversion = { anchors: new Map(), findings: [], nodes: 0, aliasNodes: 0, areAliasesSpent: false };
  const value = convert(document.contents, conversion);
  return { value, findings: conversion.findings };
}

function convert(node: Node | null | undefined, conversion: Conversion): Json {
  const nodesBefore = conversion.nodes++;
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return convertAlias(node.source, offsetOf(node), conversion);
  const anchor = "anchor" in node && typeof node.anchor === "string" ? node.anchor : undefined;
  if (anchor !== undefined) conversion.anchors.set(anchor, undefined);
  const value = convertUnaliased(node, conversion);
  if (anchor !== undefined) conversion.anchors.set(anchor, { value, nodes: conversion.nodes - nodesBefore });
  return value;
}

function convertUnaliased(node: Node, conversion: Conversion): Json {
  if (isScalar(node)) return convertScalar(node, conversion);
  if (isMap<Node, Node | null>(node)) return convertMap(node, conversion);
  if (isSeq<Node>(node)) return convertList(node, conversion);
  return null;
}

function convertAlias(name: string, offset: number, conversion: Conversion): Json {
  if (!conversion.anchors.has(name)) {
    conversion.findings.push({
      code: "E_YAML",
      offset,
      message: "the alias (*) refers to an anchor (&) that is not above it",
      fix: "Write the value out.",
    });
    return null;
  }
  const target = conversion.anchors.get(name);
  if (target === undefined) {
    conversion.findings.push({
      code: "E_ALIAS",
      offset,
      message: "the alias (*) is inside the value that it refers to",
      fix: "Write the value out.",
    });
    return null;
  }
  if (conversion.aliasNodes + target.nodes > maxAliasNodes) {
    if (conversion.areAliasesSpent) return null;
    conversion.areAliasesSpent = true;
    conversion.findings.push({
      code: "E_ALIAS",
      offset,
      message: `with this one, the aliases (*) of the document expand to more than ${maxAliasNodes} values`,
    });
    return null;
  }
  conversion.aliasNodes += target.nodes;
  conversion.nodes += target.nodes;
  return structuredClone(target.value);
}

function convertScalar(node: Scalar, conversion: Conversion): Json {
  const { value, source = "", type } = node;
  if (type === "PLAIN") {
    const reading = otherReadingOf(source);
    if (reading !== undefined) conversion.findings.push(ambiguous(offsetOf(node), "value", reading));
  }
  if (typeof value === "string") {
    // Aliases of one long text would grow as well.
    conversion.nodes += Math.floor(value.length / 1024);
    if (!/\p{Surrogate}/u.test(value)) return value;
    conversion.findings.push({
      code: "E_YAML",
      offset: offsetOf(node),
      message: "the text has half of a surrogate pair, which UTF-8 cannot carry",
      fix: "Write the whole character.",
    });
    return null;
  }
  if (typeof value === "boolean" || value === null) return value;
  const number = typeof value === "bigint" || typeof value === "number" ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) {
    conversion.findings.push({
      code: "E_YAML",
      offset: offsetOf(node),
      message: "the value is no finite number",
      fix: "Put it in quotes if it is text.",
    });
    return null;
  }
  if (typeof value === "bigint" && !Number.isSafeInteger(number)) {
    conversion.findings.push({
      code: "E_YAML",
      offset: offsetOf(node),
      message: "the number has too many digits to be kept exactly",
      fix: "Put it in quotes if it is text, such as an account number.",
    });
  }
  return number === 0 ? 0 : number;
}

function convertMap(map: YAMLMap<Node, Node | null>, conversion: Conversion): Json {
  const object: Record<string, Json> = {};
  const items = boundedItems(map, conversion);
  for (const pair of items) {
    const key = keyOf(pair, map, conversion);
    const value = convert(pair.value, conversion);
    if (key === undefined) continue;
    if (Object.hasOwn(object, key)) {
      conversion.findings.push({
        code: "E_NOT_UNIQUE_KEY",
        offset: offsetOf(pair.key),
        message: `the key ${JSON.stringify(key)} occurs twice in this map`,
      });
    } else {
      object[key] = value;
    }
  }
  return object;
}

function convertList(list: YAMLSeq<Node>, conversion: Conversion): Json {
  return boundedItems(list, conversion).map((item) => convert(item, conversion));
}

function boundedItems<T>(collection: { items: T[]; range?: unknown }, conversion: Conversion): T[] {
  if (collection.items.length <= maxEntries) return collection.items;
  conversion.findings.push({
    code: "E_YAML",
    offset: offsetOf(collection),
    message: `the map or list has ${collection.items.length} entries; at most ${maxEntries} are read`,
  });
  return [];
}

/** The key of a pair as text, or undefined when it cannot be one. */
function keyOf(pair: Pair<Node, Node | null>, map: YAMLMap, conversion: Conversion): string | undefined {
  const { key } = pair;
  const refuse = (message: string, fix: string): undefined => {
    conversion.findings.push({ code: "E_YAML", offset: offsetOf(key) || offsetOf(map), message, fix });
    return undefined;
  };
  if (isMap(key) && key.flow === true && map.flow === true) {
    return refuse("double braces: templates are not filled in, files are read as they are", "Write the value itself.");
  }
  if (!isScalar(key)) return refuse("the key is not text", "Write the key out, in quotes.");
  const { value, source = "", type } = key;
  if (key.anchor !== undefined) conversion.anchors.set(key.anchor, { value: source, nodes: 1 });
  if (typeof value === "string") {
    if (value === "__proto__") return refuse("the key __proto__ is not allowed", "Use another key.");
    if (/\p{Surrogate}/u.test(value)) return refuse("the key is no valid text", "Use another key.");
    if (type !== "PLAIN") return value;
    if (source === "<<") {
      return refuse("merge keys (<<) are not supported: readers of YAML disagree on them", "Write the keys out.");
    }
  } else if (value === null) {
    return refuse("the key is empty", "Write a key before the colon.");
  }
  const reading = otherReadingOf(source);
  if (reading !== undefined) conversion.findings.push(ambiguous(offsetOf(key), "key", reading));
  return source;
}

function ambiguous(offset: number, what: "key" | "value", reading: string): YamlFinding {
  return {
    code: "W_YAML_AMBIGUOUS",
    offset,
    message: `this ${what} has no quotes; kubectl and other readers of YAML 1.1 take it as ${reading}`,
    fix: what === "key" ? "Put the key in quotes." : "Put the value in quotes if it is text.",
  };
}

function offsetOf(node: { range?: unknown } | null | undefined): number {
  const range = node?.range;
  const start: unknown = Array.isArray(range) ? range[0] : undefined;
  return typeof start === "number" ? start : 0;
}
