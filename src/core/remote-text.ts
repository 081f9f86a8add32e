import { isJsonObject } from "./json.ts";
import { cutWith, trimEndOf } from "./trim-characters.ts";

export interface RemoteTextOptions {
  /** Our own credentials that the other side may have seen. */
  readonly secrets: readonly string[];
  /** Of what is shown of the text, in characters; three dots follow where that is not all. Default 1000. */
  readonly maximumLength?: number;
}

/** What is read of a text at all. */
const maximumInputLength = 64 * 1024;
/** A piece of a credential of this length or more is never shown; credentials that are shorter than this only as a whole. */
const pieceLength = 8;
/** Below this a value is no secret: to redact it would split ordinary text. */
const shortestSecret = 4;

/**
 * Text that another server sent (an API server, a git server, a forge, a proxy), as it may be shown, logged or committed:
 * one line of bounded length, without invisible characters, control characters or marks that turn the direction of
 * writing, without our own credentials in any form of {@link redact}, and without what resembles a token: a JSON
 * Web Token (as it is, in base64 or in hex), or what follows `Bearer` or `Basic`.
 */
export function cleanRemoteText(text: string, { secrets, maximumLength = 1000 }: RemoteTextOptions): string {
  // Invisible characters are removed first: they could split a credential.
  const visible = text.slice(0, maximumInputLength).replace(/[\p{Cf}\p{Cs}]+/gu, "");
  const line = withoutTokens(redact(visible.replace(/[\p{Cc}\s]+/gu, " ").trim(), secrets));
  return cutWith("...", line, maximumLength);
}

/**
 * `text` without any of `secrets`: as they are, in base64 (also within a longer text, and URL-safe), in hex,
 * percent-encoded, escaped as JSON, and any piece of these of eight characters or more. Each run becomes `***`. Linear in
 * the text and the secrets together.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return createRedactor(secrets)(text);
}

/** {@link redact} for several texts. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(formsOf));
  return (text) => (forms.size === 0 || text.length < shortestSecret ? text : redactForms(text, forms));
}

function redactForms(text: string, forms: ReadonlySet<string>): string {
  const pieces = piecesOf(text);
  const isSecret = new Uint8Array(text.length);
  for (const form of forms) {
    if (form.length < pieceLength) markWhole(text, form, isSecret);
    else markPieces(form, pieces, isSecret);
  }
  return isSecret.includes(1) ? withoutMarked(text, isSecret) : text;
}

/**
 * A JSON value whose texts and keys another program wrote, as {@link cleanRemoteText} has each of them; numbers and the like
 * stay.
 */
export function cleanRemoteValue<T>(value: T, options: RemoteTextOptions): T;
export function cleanRemoteValue(value: unknown, options: RemoteTextOptions): unknown {
  if (typeof value === "string") return cleanRemoteText(value, options);
  if (Array.isArray(value)) return value.map((item: unknown): unknown => cleanRemoteValue(item, options));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanRemoteText(key, options), cleanRemoteValue(item, options)]),
  );
}

/** How a JSON Web Token begins: as it is, in base64 behind any number of bytes, and in hex. */
const tokenStart = /eyJhbGciOi|eyJ0eXAiOi|ZXlKaGJHY2lPa|V5SmhiR2NpT2|leUpoYkdjaU9p|65794a68624763694f69/u;

function withoutTokens(text: string): string {
  return text
    .replace(/[\w.+/=-]{20,}/gu, (run) => (tokenStart.test(run) ? "***" : run))
    .replace(/(?<!\w)(Bearer|Basic) [\w.~+/=-]{16,}/giu, "$1 ***");
}

/** The places of each piece of eight characters of a text, and 1 for each `sketchAt` that one of them has. */
function piecesOf(text: string) {
  const places = new Map<string, number[]>();
  const sketches = new Uint8Array(2 ** 16);
  for (let start = 0; start + pieceLength <= text.length; start++) {
    const piece = text.slice(start, start + pieceLength);
    sketches[sketchAt(text, start)] = 1;
    const known = places.get(piece);
    if (known) known.push(start);
    else places.set(piece, [start]);
  }
  return { places, sketches };
}

/** A small number from three characters of a piece: it distinguishes most pieces of a credential from all of a text. */
function sketchAt(text: string, start: number): number {
  const at = (place: number): number => text.charCodeAt(start + place) << place;
  return (at(0) ^ at(4) ^ at(7)) & 0xffff;
}

function markPieces(form: string, { places, sketches }: ReturnType<typeof piecesOf>, isSecret: Uint8Array): void {
  for (let start = 0; start + pieceLength <= form.length; start++) {
    if (sketches[sketchAt(form, start)] === 0) continue;
    const piece = form.slice(start, start + pieceLength);
    const found = places.get(piece);
    if (found === undefined) continue;
    for (const place of found) isSecret.fill(1, place, place + pieceLength);
    // Each piece is marked once: a text of one character alone would take the square of its length.
    places.delete(piece);
  }
}

function markWhole(text: string, form: string, isSecret: Uint8Array): void {
  for (let place = text.indexOf(form); place >= 0; place = text.indexOf(form, place + form.length))
    isSecret.fill(1, place, place + form.length);
}

function withoutMarked(text: string, isSecret: Uint8Array): string {
  let shown = "";
  for (let place = 0; place < text.length; place++) {
    if (isSecret[place] !== 1) shown += text.charAt(place);
    else if (isSecret[place - 1] !== 1) shown += "***";
  }
  return shown;
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const hex = bytes.toString("hex");
  const encoded = encodeURIComponent(bytes.toString("utf8"));
  const everyByte = hex.replace(/../gu, "%$&");
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encoded,
    encoded.replace(/%../gu, (escape) => escape.toLowerCase()),
    everyByte,
    everyByte.toUpperCase(),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ].filter((form) => form.length >= shortestSecret);
}

/** The characters of base64 that these bytes alone decide when `offset` bytes (modulo three) precede them. */
function base64At(bytes: Buffer, offset: number): string {
  const text = trimEndOf(Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64"), "=");
  const end = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1;
  return text.slice(Math.ceil((offset * 8) / 6), end);
}
