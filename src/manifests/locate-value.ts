import type { Node, Pair, YAMLMap } from "yaml";
import { isMap, isPair, isScalar, isSeq } from "yaml";
import type { ComposedStream } from "./compose-yaml.ts";
import { composeYaml } from "./compose-yaml.ts";
import type { TextPosition } from "../core/yaml/line-table.ts";
import { createLineTable } from "../core/yaml/line-table.ts";
import type { DocumentPath } from "./yaml-document.ts";

/**
 * UTF-16 units of the texts that are parsed once more for the places of problems in them; problems beyond are at the start
 * of their documents. What a person can repair at once is far less.
 */
export const maxLocatedLength = 1024 * 1024;

/** Which half of `key: value` a problem is about. For items of a list both are the item. */
export type KeyOrValue = "key" | "value";

export interface Place {
  /** 0-based index of the document in its file. */
  readonly index: number;
  readonly path: DocumentPath;
  readonly part: KeyOrValue;
}

/** Gives places in one file their line and column. */
export type Locator = (place: Place) => TextPosition;

/**
 * A locator for a file's text. The text is parsed again when the first place is asked for: positions cost nothing
 * where there is no problem. `composed` is the text as it was parsed already. A path that leads nowhere gives the last part
 * of it that exists.
 */
export function createLocator(text: string, composed?: ComposedStream): Locator {
  let stream = composed;
  const positionAt = createLineTable(text);
  const pairOf = createPairIndex();
  return ({ index, path, part }) => {
    stream ??= composeYaml(text);
    const document = stream.documents[index]?.document;
    if (document === undefined) return { line: 1, column: 1 };
    const start = document.contents?.range[0] ?? document.range[0];
    return positionAt(
      document.contents === null ? start : (offsetOf(document.contents, { path, part }, pairOf) ?? start),
    );
  };
}

function offsetOf(root: Node, { path, part }: Omit<Place, "index">, pairOf: PairIndex): number | undefined {
  let node: Node | null = root;
  let key: Node | undefined;
  for (const step of path) {
    const next: { key?: Node; value: Node | null } | undefined = stepInto(node, step, pairOf);
    if (next === undefined) break;
    key = next.key;
    node = next.value;
  }
  const value = startOf(node);
  return part === "key" || isEmpty(node) ? (startOf(key) ?? value) : (value ?? startOf(key));
}

type MapNode = YAMLMap<Node, Node | null>;
type PairIndex = (map: MapNode, key: string) => Pair<Node, Node | null> | undefined;

/** Finds pairs by key; a map is read once, however many problems are in it. */
function createPairIndex(): PairIndex {
  const known = new WeakMap<MapNode, Map<string, Pair<Node, Node | null>>>();
  return (map, key) => {
    let pairs = known.get(map);
    if (pairs === undefined) {
      pairs = new Map();
      for (const pair of map.items) {
        const text = isPair(pair) ? keyText(pair.key) : undefined;
        if (text !== undefined && !pairs.has(text)) pairs.set(text, pair);
      }
      known.set(map, pairs);
    }
    return pairs.get(key);
  };
}

function stepInto(
  node: Node | null,
  step: string | number,
  pairOf: PairIndex,
): { key?: Node; value: Node | null } | undefined {
  if (isMap<Node, Node | null>(node)) {
    const pair = pairOf(node, String(step));
    return pair && { key: pair.key, value: pair.value };
  }
  const item = isSeq<Node>(node) ? node.items[Number(step)] : undefined;
  return item && { value: item };
}

function keyText(key: Node): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === "string" ? key.value : key.source;
}

function isEmpty(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null && (node.source ?? "") === "");
}

function startOf(node: Node | null | undefined): number | undefined {
  return node?.range?.[0];
}
