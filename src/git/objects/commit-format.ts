import type { Commit, CommitSignature } from "../git.ts";
import { malformedObject } from "./git-object.ts";
import type { ObjectFormat } from "./git-object.ts";

interface Header {
  readonly name: string;
  /** With the continuation lines joined by line feeds. */
  readonly value: string;
  /** Where the header's lines start and end in the bytes. */
  readonly start: number;
  readonly end: number;
}

/** Of real ones, those with many signed tags have some kilobytes. */
const longestHeadersBytes = 1024 * 1024;
/** Lists hold the messages of many commits, and no reader is shown more. */
const longestMessageBytes = 64 * 1024;

/** A commit from its object's content. A long message is cut. @throws E_GIT_OBJECT when it is malformed */
export function parseCommit(id: string, content: Uint8Array): Commit {
  const { headers, messageStart } = parseHeaders(id, content);
  const [tree, ...others] = headers;
  const author = parsePerson(valueOf(headers, "author") ?? "");
  const committer = parsePerson(valueOf(headers, "committer") ?? "");
  if (tree?.name !== "tree" || tree.start !== 0) throw malformedObject(id, "a commit without a tree");
  return {
    id,
    treeId: firstLine(tree),
    parents: parentsBehind(tree, others),
    author: { name: author.name, email: author.email },
    committedAtMs: committer.atMs,
    message: readMessage(shownPart(content.subarray(messageStart)), valueOf(headers, "encoding")),
  };
}

/**
 * The lines right behind the tree, as git reads them. What looks like a parent further on leads nowhere for git and forges, so
 * that a commit which is reached by it is shown to no reader.
 */
function parentsBehind(tree: Header, others: readonly Header[]): string[] {
  const parents: string[] = [];
  let last = tree;
  for (const header of others) {
    const isBehind = header.start === last.end && last.value === firstLine(last);
    if (header.name !== "parent" || !isBehind) break;
    parents.push(firstLine(header));
    last = header;
  }
  return parents;
}

function firstLine({ value }: Header): string {
  const end = value.indexOf("\n");
  return end === -1 ? value : value.slice(0, end);
}

/** The signature in a commit's content and what it covers. @throws E_GIT_OBJECT when the commit is malformed */
export function parseCommitSignature(id: string, content: Uint8Array): CommitSignature | undefined {
  const { headers } = parseHeaders(id, content);
  const signatures = headers.filter(({ name }) => name === "gpgsig" || name === "gpgsig-sha256");
  const first = signatures[0];
  if (!first) return undefined;
  const kept: Uint8Array[] = [];
  let position = 0;
  for (const { start, end } of signatures) {
    kept.push(content.subarray(position, start));
    position = end;
  }
  kept.push(content.subarray(position));
  return { payload: Buffer.concat(kept), armoured: first.value };
}

export interface CommitDraft {
  readonly format: ObjectFormat;
  readonly treeId: string;
  readonly parent: string | undefined;
  readonly author: { readonly name: string; readonly email: string };
  /** Default: the author. */
  readonly committer?: { readonly name: string; readonly email: string };
  readonly committedAtMs: number;
  readonly message: string;
  readonly sign?: (payload: string) => Promise<string>;
}

/**
 * The content of a commit object. It has the message byte for byte; characters that would break a name or an
 * address apart are left out of them. Author and committer have the same time, in UTC.
 */
export async function formatCommit(draft: CommitDraft): Promise<Buffer> {
  const { format, treeId, parent, author, committer = author, committedAtMs, message, sign } = draft;
  const seconds = Math.max(0, Math.floor(committedAtMs / 1000));
  const line = ({ name, email }: CommitDraft["author"]): string =>
    `${cleanPerson(name)} <${cleanPerson(email)}> ${seconds} +0000`;
  const parentLine = parent === undefined ? "" : `parent ${parent}\n`;
  const head = `tree ${treeId}\n${parentLine}author ${line(author)}\ncommitter ${line(committer)}\n`;
  // A NUL would end the message for every other reader.
  const body = `\n${message.replaceAll("\0", "")}`;
  const signature = await sign?.(head + body);
  return Buffer.from(head + (signature === undefined ? "" : formatSignature(signature, format)) + body, "utf8");
}

function formatSignature(armoured: string, format: ObjectFormat): string {
  const header = format === "sha1" ? "gpgsig" : "gpgsig-sha256";
  return `${header} ${armoured.trimEnd().replaceAll("\r\n", "\n").replaceAll("\n", "\n ")}\n`;
}

function parseHeaders(id: string, content: Uint8Array): { headers: Header[]; messageStart: number } {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const headers: Header[] = [];
  let position = 0;
  while (position < bytes.length && bytes[position] !== 0x0a) {
    const start = position;
    let lineEnd = endOfLine(bytes, position);
    while (bytes[lineEnd] === 0x20) lineEnd = endOfLine(bytes, lineEnd);
    if (lineEnd > longestHeadersBytes)
      throw malformedObject(id, `its headers have more than ${longestHeadersBytes} bytes`);
    const text = bytes.toString("utf8", start, lineEnd).replace(/\n$/u, "");
    const space = text.indexOf(" ");
    const value = text.slice(space + 1).replaceAll("\n ", "\n");
    // Git passes over a line that is no header, and so does every forge.
    if (space > 0) headers.push({ name: text.slice(0, space), value, start, end: lineEnd });
    position = lineEnd;
  }
  return { headers, messageStart: Math.min(position + 1, bytes.length) };
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0x0a, from);
  return end === -1 ? bytes.length : end + 1;
}

function valueOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find((header) => header.name === name)?.value;
}

/** Malformed persons exist in old histories and are harmless: an unreadable part is empty, or the epoch. */
function parsePerson(text: string): { name: string; email: string; atMs: number } {
  const match = /^([^<]*)<([^>]*)>(?: (-?\d+)(?: [+-]\d+)?)?/u.exec(text);
  const seconds = Number(match?.[3] ?? 0);
  return {
    name: match?.[1]?.replace(/ $/u, "") ?? text,
    email: match?.[2] ?? "",
    atMs: Number.isSafeInteger(seconds * 1000) ? seconds * 1000 : 0,
  };
}

function cleanPerson(text: string): string {
  const visible = [...text].filter((character) => (character.codePointAt(0) ?? 0) >= 0x20 && !"<>".includes(character));
  return visible.join("").trim();
}

/** A message ends at a NUL: git and forges show nothing after it, so that part has no effect. */
function shownPart(message: Uint8Array): Uint8Array {
  const end = message.indexOf(0);
  return end < 0 ? message : message.subarray(0, end);
}

/**
 * What follows a message that is cut, or that others read as another one, keeps its paragraphs from being the last one, whose
 * trailers would count.
 */
function readMessage(bytes: Uint8Array, encoding: string | undefined): string {
  if (bytes.length <= longestMessageBytes) return decodeText(bytes, encoding);
  return `${decodeText(bytes.subarray(0, longestMessageBytes), encoding)}\n\n[The message is longer.]\n`;
}

function decodeText(bytes: Uint8Array, encoding: string | undefined): string {
  try {
    return new TextDecoder(encoding ?? "utf-8", { ignoreBOM: true }).decode(bytes);
  } catch {
    // An encoding that this platform does not know, where git and forges show another text, or none: most of them keep ASCII.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return `${text}\n\n[The encoding of the message is not known here.]\n`;
  }
}
