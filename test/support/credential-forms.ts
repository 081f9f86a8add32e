import { randomBytes } from "node:crypto";

/** A credential as others may say it: what each form is, and its text. */
export interface CredentialForm {
  readonly name: string;
  readonly text: string;
}

/** Every form of a credential in which a server could repeat it. */
export function credentialForms(secret: string): CredentialForm[] {
  const bytes = Buffer.from(secret);
  const within = (before: string, encoding: BufferEncoding): string =>
    Buffer.from(`${before}${secret} and more`).toString(encoding);
  const hex = bytes.toString("hex");
  return [
    { name: "as it is", text: secret },
    { name: "as a header", text: `Authorization: Bearer ${secret}` },
    ...["", "a", "ab"].flatMap((before) =>
      (["base64", "base64url"] as const).map((encoding) => ({
        name: `${encoding} behind ${before.length} bytes`,
        text: within(before, encoding),
      })),
    ),
    { name: "percent-encoded", text: encodeURIComponent(secret) },
    {
      name: "percent-encoded in lower case",
      text: encodeURIComponent(secret).replace(/%../gu, (e) => e.toLowerCase()),
    },
    { name: "every byte percent-encoded", text: hex.replace(/../gu, "%$&") },
    { name: "hex", text: hex },
    { name: "hex in upper case", text: hex.toUpperCase() },
    { name: "JSON within JSON", text: JSON.stringify(JSON.stringify({ token: secret })) },
    { name: "its first eight characters", text: `${secret.slice(0, 8)} cut` },
    { name: "its first twelve characters", text: secret.slice(0, 12) },
    { name: "its last twelve characters", text: `...${secret.slice(-12)}` },
    { name: "its base64 cut short", text: bytes.toString("base64").slice(0, 20) },
    { name: "with invisible characters in it", text: [...secret].join("\u200b") },
    { name: "with marks of direction in it", text: [...secret].join("\u202e") },
    { name: "over two lines", text: `${secret.slice(0, 20)}\r\n ${secret.slice(20)}` },
    { name: "many times", text: Array.from({ length: 50 }, () => secret).join("") },
    { name: "at the end of a long text", text: `${"x".repeat(970)} ${secret}` },
  ];
}

/** A credential of random characters; no message has one of its pieces by chance. */
export function makeCredential(): string {
  // In base64, wherever it begins, `~?>~?` has a plus and a slash.
  return `${randomBytes(24).toString("base64")}."\\~?>~?${randomBytes(24).toString("base64url")}`;
}

/** The longest piece of a credential, in any encoding, that a text shows; shorter than eight characters when it is clean. */
export function shownPiece(text: string, secret: string): string {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const sources = [
    secret,
    JSON.stringify(secret),
    hex,
    hex.toUpperCase(),
    encodeURIComponent(secret),
    ...[0, 1, 2].map((skip) =>
      bytes
        .subarray(skip)
        .toString("base64")
        .replace(/..?=*$/u, ""),
    ),
    ...[0, 1, 2].map((skip) => bytes.subarray(skip).toString("base64url").replace(/..?$/u, "")),
  ];
  let longest = "";
  for (const source of sources)
    for (let start = 0; start < source.length; start++)
      while (text.includes(source.slice(start, start + longest.length + 1)) && start + longest.length < source.length)
        longest = source.slice(start, start + longest.length + 1);
  return longest;
}

/** Of each credential that a text shows, a piece that it has. */
export type PieceSearch = (text: string) => ReadonlyMap<string, string>;

/**
 * Searches a text, which may be long, once for pieces of all these credentials: of eight characters; of twelve where a piece is in
 * hex, since the ids of commits are hex too.
 */
export function searchPieces(secrets: readonly string[]): PieceSearch {
  const owners = new Map(secrets.flatMap((secret) => piecesOfSecret(secret).map((piece) => [piece, secret] as const)));
  return (text) => {
    const found = new Map<string, string>();
    for (const length of [shortLength, hexLength])
      for (let start = 0; start + length <= text.length; start++) {
        const piece = text.slice(start, start + length);
        const secret = owners.get(piece);
        if (secret !== undefined && !found.has(secret)) found.set(secret, piece);
      }
    return found;
  };
}

const shortLength = 8;
const hexLength = 12;

function piecesOfSecret(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].flatMap((skip) =>
    (["base64", "base64url"] as const).map((encoding) =>
      bytes
        .subarray(skip)
        .toString(encoding)
        .replace(/..?=*$/u, ""),
    ),
  );
  const escaped = hex.replace(/../gu, "%$&");
  return [
    ...piecesOf([secret, encodeURIComponent(secret), ...base64], shortLength),
    ...piecesOf([hex, hex.toUpperCase(), escaped, escaped.toUpperCase()], hexLength),
  ];
}

function piecesOf(texts: readonly string[], length: number): string[] {
  return texts.flatMap((text) =>
    Array.from({ length: Math.max(0, text.length - length + 1) }, (_, start) => text.slice(start, start + length)),
  );
}
