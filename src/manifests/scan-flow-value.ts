import type { Json } from "../core/json.ts";
import type { ScanAnchors } from "./scan-anchors.ts";
import { openAnchor, resolveAlias, scanAnchorName, setAnchor } from "./scan-anchors.ts";
import { scanPlain, scanQuoted } from "./scan-scalar.ts";
import { skipSpaces } from "./scan-spaces.ts";

interface FlowValue {
  readonly value: Json;
  /** The offset behind it. */
  readonly end: number;
}

interface FlowScan {
  readonly text: string;
  /** Offset of the line's end. */
  readonly end: number;
  readonly anchors: ScanAnchors;
}

const maxFlowDepth = 8;
const plainPattern = /[A-Za-z0-9_/][A-Za-z0-9_/.+=@*?() -]*/uy;
const keyPattern = /[A-Za-z_][\w./-]*(?=: )/uy;

/** A map or list in brackets on one line, of simple keys and scalars; undefined for anything else. */
export function scanFlowValue(scan: FlowScan, at: number, depth = 0): FlowValue | undefined {
  if (depth > maxFlowDepth) return undefined;
  const { text, end } = scan;
  const open = text.charAt(at);
  if (open === "{") return scanFlowMap(scan, at, depth);
  if (open === "[") return scanFlowList(scan, at, depth);
  if (open === "&") return scanFlowAnchored(scan, at, depth);
  if (open === "*") return scanFlowAlias(scan, at);
  if (open === '"' || open === "'") {
    const close = scanQuoted(text, at, end);
    return close === undefined ? undefined : { value: text.slice(at + 1, close - 1), end: close };
  }
  plainPattern.lastIndex = at;
  if (!plainPattern.test(text)) return undefined;
  const next = text.charAt(plainPattern.lastIndex);
  if (next !== "," && next !== "]" && next !== "}") return undefined;
  const stop = plainPattern.lastIndex;
  const value = scanPlain(text.slice(at, stop).trimEnd());
  return value === undefined ? undefined : { value, end: stop };
}

function scanFlowAnchored(scan: FlowScan, at: number, depth: number): FlowValue | undefined {
  const { text, end, anchors } = scan;
  const anchor = scanAnchorName(text, at);
  if (anchor === undefined) return undefined;
  openAnchor(anchors, anchor.name);
  const valueAt = skipSpaces(text, anchor.end, end);
  // A value has one anchor, and an alias has none.
  if ("&*".includes(text.charAt(valueAt))) return undefined;
  const item = scanFlowValue(scan, valueAt, depth);
  if (item !== undefined) setAnchor(anchors, anchor.name, item.value);
  return item;
}

function scanFlowAlias({ text, anchors }: FlowScan, at: number): FlowValue | undefined {
  const alias = scanAnchorName(text, at);
  if (alias === undefined) return undefined;
  const value = resolveAlias(anchors, alias.name);
  return value === undefined ? undefined : { value, end: alias.end };
}

function scanFlowMap(scan: FlowScan, start: number, depth: number): FlowValue | undefined {
  const { text, end } = scan;
  const object: Record<string, Json> = {};
  let at = skipSpaces(text, start + 1, end);
  if (text.charAt(at) === "}") return { value: object, end: at + 1 };
  for (;;) {
    keyPattern.lastIndex = at;
    if (!keyPattern.test(text)) return undefined;
    const stop = keyPattern.lastIndex;
    const key = text.slice(at, stop);
    if (scanPlain(key) !== key || key === "__proto__" || Object.hasOwn(object, key)) return undefined;
    const item = scanFlowValue(scan, skipSpaces(text, stop + 1, end), depth + 1);
    if (item === undefined) return undefined;
    object[key] = item.value;
    at = skipSpaces(text, item.end, end);
    if (text.charAt(at) === "}") return { value: object, end: at + 1 };
    if (text.charAt(at) !== ",") return undefined;
    at = skipSpaces(text, at + 1, end);
  }
}

function scanFlowList(scan: FlowScan, start: number, depth: number): FlowValue | undefined {
  const { text, end } = scan;
  const list: Json[] = [];
  let at = skipSpaces(text, start + 1, end);
  if (text.charAt(at) === "]") return { value: list, end: at + 1 };
  for (;;) {
    const item = scanFlowValue(scan, at, depth + 1);
    if (item === undefined) return undefined;
    list.push(item.value);
    at = skipSpaces(text, item.end, end);
    if (text.charAt(at) === "]") return { value: list, end: at + 1 };
    if (text.charAt(at) !== ",") return undefined;
    at = skipSpaces(text, at + 1, end);
  }
}
