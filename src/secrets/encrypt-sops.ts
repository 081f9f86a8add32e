import { createHash } from "node:crypto";
import { Document, isScalar, visit } from "yaml";
import type { Random } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { sealDataKey } from "./age-keys.ts";
import { contextOf } from "./decrypt-sops.ts";
import { readGoScalar } from "./go-scalar.ts";
import { clearText, encryptValue, ivSizeBytes } from "./sops-value.ts";

export interface EncryptOptions {
  /** `age1...`, one or more: any one of their identities opens the file. */
  readonly recipients: readonly string[];
  readonly random: Random;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What is encrypted of a Secret; everything else stays readable, and is still covered by the checksum. */
const encryptedRegex = "^(data|stringData)$";
const isEncrypted = (path: readonly string[]) => path.some((key) => key === "data" || key === "stringData");

/** The version of SOPS whose format is written. */
const formatVersion = "3.9.0";

/**
 * A document as a SOPS file: YAML text whose `data` and `stringData` are encrypted for the recipients. The sops program
 * reads and edits it. Text without quotes is written only where every reader of YAML takes it for text.
 * @throws E_SOPS_KEY for a recipient that is none; E_SOPS_FORMAT for a document that is encrypted already or has a
 * number that cannot be kept exactly
 */
export async function encryptSops(document: JsonObject, options: EncryptOptions): Promise<string> {
  if (Object.hasOwn(document, "sops")) {
    throw new AppError("E_SOPS_FORMAT", "encrypt a document: it has a key `sops`; it is encrypted already");
  }
  const { recipients, random, nowMs } = options;
  const dataKey = random.bytes(32);
  const hash = createHash("sha512");

  const encrypt = (value: Json | undefined, path: readonly string[]): Json | undefined => {
    if (value === null || value === undefined) return value;
    if (Array.isArray(value)) return value.map((item: Json) => encrypt(item, path) ?? null);
    if (isJsonObject(value)) {
      const entries = Object.entries(value).filter(([, item]) => item !== undefined);
      return Object.fromEntries(entries.map(([key, item]) => [key, encrypt(item, [...path, key])]));
    }
    if (typeof value === "object") return value;
    if (typeof value === "bigint" || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      throw new AppError(
        "E_SOPS_FORMAT",
        "encrypt a document: a number is too large to be kept exactly; write it as text",
      );
    }
    hash.update(clearText(value));
    if (!isEncrypted(path)) return value;
    return encryptValue(value, { dataKey, context: contextOf(path), iv: random.bytes(ivSizeBytes) });
  };

  const body = encrypt(document, []);
  const lastmodified = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const mac = encryptValue(hash.digest("hex").toUpperCase(), {
    dataKey,
    context: lastmodified,
    iv: random.bytes(ivSizeBytes),
  });
  const age = (await sealDataKey(dataKey, recipients)).map(({ recipient, encrypted }) => ({
    recipient,
    enc: `${encrypted.trim()}\n`,
  }));
  const sops = { age, lastmodified, mac, encrypted_regex: encryptedRegex, version: formatVersion };
  return writeYaml({ ...(isJsonObject(body) ? body : {}), sops });
}

function writeYaml(value: JsonObject): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (!isScalar<unknown>(node) || typeof node.value !== "string") return;
      node.type = isBlock(node.value) ? "BLOCK_LITERAL" : isPlain(node.value) ? "PLAIN" : "QUOTE_DOUBLE";
    },
  });
  // Only quoted text has such characters, and YAML wants them escaped there.
  return document
    .toString({ lineWidth: 0 })
    .replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu, (character) => {
      return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
    });
}

/** Lines of plain ASCII, the first of which starts with a letter or a mark that YAML needs no help to indent. */
function isBlock(text: string): boolean {
  return text.includes("\n") && /^[\w-][\x20-\x7e\n]*[\x21-\x7e]\n$/u.test(text);
}

/** Words, and what SOPS writes itself; both are text to Go and to JavaScript. */
function isPlain(text: string): boolean {
  const isSimple = /^[A-Za-z_][\w./-]*$/u.test(text) || /^ENC\[[\w,:+/=]+\]$/u.test(text);
  return isSimple && readGoScalar(text).kind === "string" && !/^(?:y|n|yes|no|on|off)$/iu.test(text);
}
