import type { Json } from "../core/json.ts";

/** The anchors of one document while it is scanned. */
export interface ScanAnchors {
  readonly values: Map<string, { readonly value: Json; readonly nodes: number }>;
  /** Values that aliases expanded to so far. */
  aliasNodes: number;
}

/** A name behind `&` or `*`. */
interface ScannedName {
  readonly name: string;
  /** The offset behind it. */
  readonly end: number;
}

/** Half of what the parser accepts, which counts an alias of an alias once more: what is near the bound is left to it. */
const maxScannedAliasNodes = 50;

const namePattern = /[&*][A-Za-z0-9_-]+(?=[ \n,\]}]|$)/uy;

export function createScanAnchors(): ScanAnchors {
  return { values: new Map(), aliasNodes: 0 };
}

/** The simple name of the anchor or alias that starts at the offset, or undefined. */
export function scanAnchorName(text: string, at: number): ScannedName | undefined {
  namePattern.lastIndex = at;
  return namePattern.test(text)
    ? { name: text.slice(at + 1, namePattern.lastIndex), end: namePattern.lastIndex }
    : undefined;
}

/** Removes the anchor's value so far: an alias of it is left to the parser while the new value is read. */
export function openAnchor(anchors: ScanAnchors, name: string): void {
  anchors.values.delete(name);
}

export function setAnchor(anchors: ScanAnchors, name: string, value: Json): void {
  anchors.values.set(name, { value, nodes: countNodes(value) });
}

/** A copy of the value of the alias; undefined when only the parser can determine it. */
export function resolveAlias(anchors: ScanAnchors, name: string): Json | undefined {
  const target = anchors.values.get(name);
  if (target === undefined) return undefined;
  anchors.aliasNodes += target.nodes;
  if (anchors.aliasNodes > maxScannedAliasNodes) return undefined;
  return structuredClone(target.value);
}

/** Values, and one more for each 1024 characters of a text, as the parser counts them. */
function countNodes(value: Json): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / 1024);
  let nodes = 1;
  for (const item of Object.values(value ?? {}) as Json[]) nodes += countNodes(item);
  return nodes;
}
