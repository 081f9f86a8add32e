import { parseSshPublicKey } from "./ssh-public-key.ts";
import type { SshPublicKey } from "./ssh-public-key.ts";
import { matchesGlob } from "../../core/name-glob.ts";
import { decodeBase64 } from "./ssh-wire.ts";

/** Who may sign, and when. */
export interface AllowedSigner {
  /** Names of the owner, as they are in the list; usually mail addresses. At least one. */
  readonly principals: readonly string[];
  readonly key: SshPublicKey;
  /** Patterns of what the key may sign; undefined: everything. */
  readonly namespaces?: readonly string[];
  /** Signatures before this do not count. Milliseconds since the epoch. */
  readonly validAfterMs?: number;
  /** Signatures after this do not count. Milliseconds since the epoch. */
  readonly validBeforeMs?: number;
}

export interface SignerProblem {
  /** 1-based line in the text. */
  readonly line: number;
  readonly message: string;
}

export interface AllowedSigners {
  readonly signers: readonly AllowedSigner[];
  /** Lines that are ignored. Their author intended them: the reader of the list must report them. */
  readonly problems: readonly SignerProblem[];
}

const keyTypes = /^(?:(?:sk-)?(?:ssh|ecdsa)-[a-z0-9-]+(?:@openssh\.com)?)$/u;

/**
 * Reads a list of allowed signers: lines of principals, options and a public key. A line that starts with the key, as
 * `.pub` files have it, is taken too; its comment is the principal. Times without `Z` are taken as UTC. Certificate
 * authorities, unknown options and weak keys are problems: the line is not used.
 * Source: OpenSSH, ssh-keygen(1), ALLOWED SIGNERS.
 */
export function parseAllowedSigners(text: string): AllowedSigners {
  const signers: AllowedSigner[] = [];
  const problems: SignerProblem[] = [];
  if (/-----BEGIN PGP/u.test(text)) {
    return { signers, problems: [{ line: 1, message: "OpenPGP keys are not supported; give SSH public keys" }] };
  }
  const withoutMark = text.replace(/^\u{feff}/u, "");
  withoutMark.split(/\r?\n/u).forEach((line, index) => {
    const content = line.replace(/^[ \t]+/u, "");
    if (content === "" || content.startsWith("#")) return;
    const parsed = parseLine(content);
    if (typeof parsed === "string") problems.push({ line: index + 1, message: parsed });
    else signers.push(parsed);
  });
  return { signers, problems };
}

/** The signer of a line, or why there is none. */
function parseLine(line: string): AllowedSigner | string {
  const fields = splitFields(line);
  if (fields === undefined) return "a quote is not closed";
  const [first = "", second = "", third = ""] = fields;
  if (keyTypes.test(first)) {
    const principal = fields.slice(2).join(" ");
    return withKey({ principals: [principal === "" ? "unnamed" : principal] }, first, second);
  }
  if (/"[^"]*"./u.test(first)) return "there is text behind the quoted principals";
  const principals = unquote(first)
    .split(",")
    .filter((name) => name !== "");
  if (principals.length === 0) return "there is no principal";
  if (keyTypes.test(second)) return withKey({ principals }, second, third);
  const options = readOptions(second);
  if (typeof options === "string") return options;
  return withKey({ principals, ...options }, third, fields[3] ?? "");
}

function withKey(signer: Omit<AllowedSigner, "key">, type: string, base64: string): AllowedSigner | string {
  if (!keyTypes.test(type)) return "there is no public key of SSH";
  const blob = decodeBase64(base64);
  if (blob === undefined) return "the public key is not valid base64";
  const parsed = parseSshPublicKey(blob);
  if (parsed.kind === "refused") return parsed.message;
  if (parsed.key.type !== type) return `the key is of the type ${parsed.key.type}, and the line declares ${type}`;
  return { ...signer, key: parsed.key };
}

/**
 * Fields between blanks and tabs, the only ones that OpenSSH splits at; those within double quotes belong to the field. Undefined
 * when a quote is not closed.
 */
function splitFields(line: string): string[] | undefined {
  const fields = line.match(/(?:"[^"]*"|[^ \t"])+/gu) ?? [];
  const quotes = line.split('"').length - 1;
  return quotes % 2 === 0 ? fields : undefined;
}

function unquote(text: string): string {
  return text.replaceAll('"', "");
}

type Options = Pick<AllowedSigner, "namespaces" | "validAfterMs" | "validBeforeMs">;

function readOptions(field: string): Options | string {
  let options: Options = {};
  if (field.endsWith(",")) return "the options end with a comma";
  // A comma within quotes belongs to the value.
  for (const option of field.match(/(?:"[^"]*"|[^,"])+/gu) ?? []) {
    const equals = option.indexOf("=");
    const name = (equals < 0 ? option : option.slice(0, equals)).toLowerCase();
    const text = option.slice(equals + 1);
    const read = readOption(name, equals < 0 ? undefined : unquote(text));
    if (typeof read === "string") return read;
    // Joined to one value, they would be patterns that are not in the list. OpenSSH refuses such a line, and one without quotes.
    if (!/^"[^"]*"$/u.test(text))
      return `the option ${name} ${text.includes('"') ? "has text beside its quotes" : "has no quotes around its value"}`;
    // Which of two counts is not known; OpenSSH refuses the line, too.
    if (Object.keys(read).some((key) => Object.hasOwn(options, key))) return `the option ${name} is set twice`;
    options = { ...options, ...read };
  }
  return options;
}

function readOption(name: string, value: string | undefined): Options | string {
  switch (name) {
    case "cert-authority":
      return "certificate authorities are not supported; list the keys themselves";
    case "namespaces": {
      const namespaces = (value ?? "").split(",").filter((pattern) => pattern !== "");
      return namespaces.length > 0 ? { namespaces } : "namespaces= names none";
    }
    case "valid-after":
    case "valid-before": {
      const atMs = parseTime(value ?? "");
      if (atMs === undefined) return `${name}= is no time of the form YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS`;
      return name === "valid-after" ? { validAfterMs: atMs } : { validBeforeMs: atMs };
    }
    default:
      return `the option ${JSON.stringify(name.slice(0, 40))} is not known`;
  }
}

function parseTime(text: string): number | undefined {
  const match = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?Z?$/u.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const atMs = Date.UTC(year, month - 1, day, hour, minute, second);
  // A day or hour that does not exist would be read as another one.
  const shown = new Date(atMs).toISOString().replace(/\D/gu, "");
  return shown.startsWith(text.replace(/Z$/u, "")) ? atMs : undefined;
}

/** True when `name` matches one of the patterns (`*`, `?`) and none of those that start with `!`. */
export function matchesPatternList(patterns: readonly string[], name: string): boolean {
  const isNegated = (pattern: string) => pattern.startsWith("!");
  if (patterns.filter(isNegated).some((pattern) => matchesGlob(pattern.slice(1), name))) return false;
  return patterns.some((pattern) => !isNegated(pattern) && matchesGlob(pattern, name));
}
