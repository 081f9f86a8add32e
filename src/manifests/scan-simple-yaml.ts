import type { Json } from "../core/json.ts";
import type { ScanAnchors } from "./scan-anchors.ts";
import { createScanAnchors, openAnchor, resolveAlias, scanAnchorName, setAnchor } from "./scan-anchors.ts";
import { scanBlockScalar } from "./scan-block-scalar.ts";
import { scanFlowValue } from "./scan-flow-value.ts";
import { scanPlain, scanQuoted } from "./scan-scalar.ts";
import { hash, isBlank, isComment, skipSpaces, space } from "./scan-spaces.ts";
import type { YamlDocument } from "./yaml-document.ts";

// The parser of YAML takes 40 times as long as all else that is done with a file. Most files use a small part of YAML:
// this reads that part, and steps back at anything else. test/unit/manifests proves that both agree.

/** The position of the scan: at the first character of a line's content, or behind the end. */
interface Scan {
  readonly text: string;
  /** Column of the content, which is its indentation; -1 at a line of `---` and at the end. */
  indent: number;
  /** Offset of the content. */
  at: number;
  /** Offset of the line's end. */
  lineEnd: number;
  isEnd: boolean;
  depth: number;
  /** Of the document that is read. */
  anchors: ScanAnchors;
}

/** What is not of these is left to the parser: control characters, tabs, CRLF, marks of byte order, characters in two halves. */
const other = /[^\n\x20-\x7e\u00a1-\u2027\u2030-\ud7ff\ue000-\ufefe]/u;

const maxScanDepth = 24;
const maxScanEntries = 5000;

/**
 * Reads text that keeps to maps, lists, simple anchors, scalars on one line each and simple block scalars, without tags,
 * escapes, ambiguous or non-decimal scalars, and duplicate keys. Undefined for any other text, good or bad.
 */
export function scanSimpleYaml(text: string): YamlDocument[] | undefined {
  if (other.test(text)) return undefined;
  const scan: Scan = { text, indent: 0, at: 0, lineEnd: -1, isEnd: false, depth: 0, anchors: createScanAnchors() };
  const documents: YamlDocument[] = [];
  goToNextLine(scan);
  while (!scan.isEnd) {
    if (scan.indent < 0) {
      const { at } = scan;
      goToNextLine(scan);
      if (scan.isEnd || scan.indent < 0) {
        // A last line without its end may move the place that the parser gives.
        if (scan.isEnd && !text.endsWith("\n") && at + separatorLength < text.length) return undefined;
        documents.push(emptyDocument(documents.length, skipSpaces(text, at + separatorLength, text.length)));
        continue;
      }
    }
    const offset = scan.at;
    scan.anchors = createScanAnchors();
    const value = scanRoot(scan);
    // A line that fits no level of a map or list is left over, and one that would go on with a value.
    if (value === undefined || scan.indent >= 0) return undefined;
    documents.push({ index: documents.length, offset, value, isReadable: true, findings: [] });
  }
  return documents;
}

function emptyDocument(index: number, offset: number): YamlDocument {
  return { index, offset, value: null, isReadable: true, findings: [] };
}

/** A map or list, or a value on one line that is the whole document. */
function scanRoot(scan: Scan): Json | undefined {
  if (isItem(scan) || keyEnd(scan.text, scan.at) !== undefined) return scanBlock(scan);
  return scanInlineValue(scan, scan.at);
}

/** Moves to the next line with content; comments and empty lines are skipped. */
function goToNextLine(scan: Scan): void {
  const { text } = scan;
  let start = scan.lineEnd + 1;
  while (start < text.length) {
    let at = start;
    while (text.charCodeAt(at) === space) at++;
    const code = text.charCodeAt(at);
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    if (at < end && code !== hash) {
      scan.at = at;
      scan.lineEnd = end;
      scan.indent = at === start && isSeparator(text, at, end) ? -1 : at - start;
      return;
    }
    start = end + 1;
  }
  scan.isEnd = true;
  scan.indent = -1;
}

function isSeparator(text: string, at: number, end: number): boolean {
  return text.startsWith("---", at) && isBlank(text, at + 3, end);
}

/** A map or list that starts at the position of the scan. */
function scanBlock(scan: Scan): Json | undefined {
  if (++scan.depth > maxScanDepth) return undefined;
  const value = isItem(scan) ? scanList(scan) : scanMap(scan);
  scan.depth--;
  return value;
}

function isItem({ text, at, lineEnd }: Scan): boolean {
  return text.charCodeAt(at) === dash && (at + 1 === lineEnd || text.charCodeAt(at + 1) === space);
}

function scanMap(scan: Scan): Json | undefined {
  const { indent } = scan;
  const object: Record<string, Json> = {};
  for (let count = 0; scan.indent === indent && !isItem(scan); count++) {
    const key = count < maxScanEntries ? scanKey(scan) : undefined;
    if (key === undefined || key === "__proto__" || Object.hasOwn(object, key)) return undefined;
    const value = scanValue(scan, indent, true);
    if (value === undefined) return undefined;
    object[key] = value;
  }
  return object;
}

function scanList(scan: Scan): Json | undefined {
  const { indent } = scan;
  const list: Json[] = [];
  while (scan.indent === indent && isItem(scan)) {
    if (list.length >= maxScanEntries) return undefined;
    const dashAt = scan.at;
    scan.at = skipSpaces(scan.text, dashAt + 1, scan.lineEnd);
    let value: Json | undefined;
    if (keyEnd(scan.text, scan.at) !== undefined) {
      scan.indent = indent + (scan.at - dashAt);
      value = scanBlock(scan);
    } else {
      value = scanValue(scan, indent, false);
    }
    if (value === undefined) return undefined;
    list.push(value);
  }
  return list;
}

/** Reads the value after `key:` or `-`, on the same line or below, and moves to the next line with content. */
function scanValue(scan: Scan, indent: number, isOfKey: boolean): Json | undefined {
  const { text, lineEnd } = scan;
  const at = skipSpaces(text, scan.at, lineEnd);
  const first = text.charCodeAt(at);
  if (first === ampersand) return scanAnchored(scan, at, indent);
  if (first === verticalBar || first === greaterThan) return scanBlockText(scan, at, indent);
  if (at < lineEnd && !isComment(text, at)) return scanInlineValue(scan, at);
  goToNextLine(scan);
  // Items may be in the column of their key; what follows in that column without a dash belongs to the key's map.
  if (scan.indent > indent || (isOfKey && scan.indent === indent && isItem(scan))) return scanBlock(scan);
  return null;
}

function scanInlineValue(scan: Scan, at: number): Json | undefined {
  const value = scanInline(scan, at);
  goToNextLine(scan);
  return value;
}

function scanBlockText(scan: Scan, at: number, indent: number): string | undefined {
  const scalar = scanBlockScalar(scan.text, { at, lineEnd: scan.lineEnd, indent });
  if (scalar === undefined) return undefined;
  scan.lineEnd = scalar.lineEnd;
  goToNextLine(scan);
  return scalar.value;
}

/** A value with an anchor, on the same line or as a deeper block. */
function scanAnchored(scan: Scan, ampersandAt: number, indent: number): Json | undefined {
  const { text, lineEnd, anchors } = scan;
  const anchor = scanAnchorName(text, ampersandAt);
  if (anchor === undefined) return undefined;
  openAnchor(anchors, anchor.name);
  const at = skipSpaces(text, anchor.end, lineEnd);
  let value: Json | undefined;
  if (at < lineEnd && !isComment(text, at)) {
    // An alias has no anchor.
    value = text.charCodeAt(at) === asterisk ? undefined : scanInlineValue(scan, at);
  } else {
    goToNextLine(scan);
    value = scan.indent > indent ? scanBlock(scan) : undefined;
  }
  if (value !== undefined) setAnchor(anchors, anchor.name, value);
  return value;
}

/** A key and its colon; the scan is behind them then. */
function scanKey(scan: Scan): string | undefined {
  const { text, at } = scan;
  const end = keyEnd(text, at);
  if (end === undefined) return undefined;
  scan.at = end + 1;
  const first = text.charCodeAt(at);
  if (first === doubleQuote || first === singleQuote) return text.slice(at + 1, end - 1);
  const key = text.slice(at, end);
  return scanPlain(key) === key ? key : undefined;
}

const keyPattern = /(?:[A-Za-z_][\w./-]*|"[^"\\\n]*"|'[^'\n]*')(?=:(?:[ \n]|$))/uy;

/** Where the key that starts at the offset ends, or undefined where there is no simple key. */
function keyEnd(text: string, at: number): number | undefined {
  keyPattern.lastIndex = at;
  return keyPattern.test(text) && keyPattern.lastIndex - at < 1000 ? keyPattern.lastIndex : undefined;
}

/** The value that starts at the offset and takes the rest of the line. */
function scanInline({ text, lineEnd: end, anchors }: Scan, at: number): Json | undefined {
  const first = text.charCodeAt(at);
  if (first === doubleQuote || first === singleQuote) {
    const close = scanQuoted(text, at, end);
    return close !== undefined && isBlank(text, close, end) ? text.slice(at + 1, close - 1) : undefined;
  }
  if (first === openBrace || first === openBracket) {
    const flow = scanFlowValue({ text, end, anchors }, at);
    return flow !== undefined && isBlank(text, flow.end, end) ? flow.value : undefined;
  }
  if (first === asterisk) {
    const alias = scanAnchorName(text, at);
    return alias !== undefined && isBlank(text, alias.end, end) ? resolveAlias(anchors, alias.name) : undefined;
  }
  const rest = text.slice(at, end);
  const comment = rest.indexOf(" #");
  const plain = (comment < 0 ? rest : rest.slice(0, comment)).trimEnd();
  return plain.includes(": ") || plain.endsWith(":") ? undefined : scanPlain(plain);
}

const separatorLength = 3;
const doubleQuote = 0x22;
const ampersand = 0x26;
const singleQuote = 0x27;
const asterisk = 0x2a;
const dash = 0x2d;
const greaterThan = 0x3e;
const openBracket = 0x5b;
const openBrace = 0x7b;
const verticalBar = 0x7c;
