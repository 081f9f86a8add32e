import type { Node } from "yaml";
import { isMap, isPair, isScalar, isSeq } from "yaml";
import type { ComposedStream } from "./compose-yaml.ts";
import { composeYaml } from "./compose-yaml.ts";
import type { TextPosition } from "./text-position.ts";
import { positionAt } from "./text-position.ts";
import type { DocumentPath } from "./yaml-document.ts";

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
 * where there is no problem. A path that leads nowhere gives the last part of it that exists.
 */
export function createLocator(text: string): Locator {
  let stream: ComposedStream | undefined;
  return ({ index, path, part }) => {
    stream ??= composeYaml(text);
    const document = stream.documents[index]?.document;
    if (document === undefined) return { line: 1, column: 1 };
    const start = document.contents?.range[0] ?? document.range[0];
    return positionAt(text, document.contents === null ? start : (offsetOf(document.contents, path, part) ?? start));
  };
}

function offsetOf(root: Node, path: DocumentPath, part: KeyOrValue): number | undefined {
  let node: Node | null = root;
  let key: Node | undefined;
  for (const step of path) {
    const next: { key?: Node; value: Node | null } | undefined = stepInto(node, step);
    if (next === undefined) break;
    key = next.key;
    node = next.value;
  }
  const value = startOf(node);
  return part === "key" || isEmpty(node) ? (startOf(key) ?? value) : (value ?? startOf(key));
}

function stepInto(node: Node | null, step: string | number): { key?: Node; value: Node | null } | undefined {
  if (isMap<Node, Node | null>(node)) {
    const pair = node.items.find((item) => isPair(item) && keyText(item.key) === String(step));
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
