import type { Json } from "../core/json.ts";
import { scanPlain, scanQuoted } from "./scan-scalar.ts";

interface FlowValue {
  readonly value: Json;
  /** The offset behind it. */
  readonly end: number;
}

const maxFlowDepth = 8;
const plainPattern = /[A-Za-z0-9_/][A-Za-z0-9_/.+=@*?() -]*/uy;
const keyPattern = /[A-Za-z_][\w./-]*(?=: )/uy;

/** A map or list in brackets on one line, of simple keys and scalars; undefined for anything else. */
export function scanFlowValue(text: string, at: number, end: number, depth = 0): FlowValue | undefined {
  if (depth > maxFlowDepth) return undefined;
  const open = text.charAt(at);
  if (open === "{") return scanFlowMap(text, at, end, depth);
  if (open === "[") return scanFlowList(text, at, end, depth);
  if (open === '"' || open === "'") {
    const close = scanQuoted(text, at, end);
    return close === undefined ? undefined : { value: text.slice(at + 1, close - 1), end: close };
  }
  plainPattern.lastIndex = at;
  if (!plainPattern.test(text) || plainPattern.lastIndex > end) return undefined;
  const next = text.charAt(plainPattern.lastIndex);
  if (next !== "," && next !== "]" && next !== "}") return undefined;
  const stop = plainPattern.lastIndex;
  const value = scanPlain(text.slice(at, stop).trimEnd());
  return value === undefined ? undefined : { value, end: stop };
}

function scanFlowMap(text: string, start: number, end: number, depth: number): FlowValue | undefined {
  const object: Record<string, Json> = {};
  let at = skipSpaces(text, start + 1);
  if (text.charAt(at) === "}") return { value: object, end: at + 1 };
  for (;;) {
    keyPattern.lastIndex = at;
    if (!keyPattern.test(text) || keyPattern.lastIndex > end) return undefined;
    const stop = keyPattern.lastIndex;
    const key = text.slice(at, stop);
    if (scanPlain(key) !== key || key === "__proto__" || Object.hasOwn(object, key)) return undefined;
    const item = scanFlowValue(text, skipSpaces(text, stop + 1), end, depth + 1);
    if (item === undefined) return undefined;
    object[key] = item.value;
    at = skipSpaces(text, item.end);
    if (text.charAt(at) === "}") return { value: object, end: at + 1 };
    if (text.charAt(at) !== ",") return undefined;
    at = skipSpaces(text, at + 1);
  }
}

function scanFlowList(text: string, start: number, end: number, depth: number): FlowValue | undefined {
  const list: Json[] = [];
  let at = skipSpaces(text, start + 1);
  if (text.charAt(at) === "]") return { value: list, end: at + 1 };
  for (;;) {
    const item = scanFlowValue(text, at, end, depth + 1);
    if (item === undefined) return undefined;
    list.push(item.value);
    at = skipSpaces(text, item.end);
    if (text.charAt(at) === "]") return { value: list, end: at + 1 };
    if (text.charAt(at) !== ",") return undefined;
    at = skipSpaces(text, at + 1);
  }
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charAt(at) === " ") at++;
  return at;
}
