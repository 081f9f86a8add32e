import { createCipheriv, createDecipheriv } from "node:crypto";
import { parseGoBool } from "../core/formats/go-bool.ts";
import { formatGoFloat } from "./go-scalar.ts";
import { malformed } from "./sops-tree.ts";

/** A decrypted value: its type, and its part of the checksum. */
export type ClearValue =
  | { readonly kind: "value"; readonly value: string | number | boolean; readonly text: string }
  /** Comments of lists are encrypted like items; they are neither values nor counted. */
  | { readonly kind: "comment" };

const form =
  /^ENC\[AES256_GCM,data:([A-Za-z0-9+/]*={0,2}),iv:([A-Za-z0-9+/]+={0,2}),tag:([A-Za-z0-9+/]+={0,2}),type:(\w+)\]$/u;
const ivBytes = 32;
const tagBytes = 16;

/**
 * Decrypts one `ENC[AES256_GCM,...]`. `context` is what it is bound to: its path (`data:password:`), or the time of the
 * checksum. @throws E_SOPS_FORMAT when it is none, or does not belong here. Source: SOPS, aes/cipher.go.
 */
export function decryptValue(encrypted: string, dataKey: Uint8Array, context: string): ClearValue {
  if (encrypted === "") return { kind: "value", value: "", text: "" };
  const [, data, iv, tag, type] = form.exec(encrypted) ?? [];
  if (data === undefined || iv === undefined || tag === undefined) throw malformed("a value is not encrypted");
  const authTag = Buffer.from(tag, "base64");
  if (authTag.length !== tagBytes) throw malformed("an encrypted value is damaged");
  let clear: Buffer;
  try {
    const decipher = createDecipheriv("aes-256-gcm", dataKey, Buffer.from(iv, "base64"), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context, "utf8")).setAuthTag(authTag);
    clear = Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]);
  } catch {
    // node reports only that it failed.
    throw malformed("an encrypted value was changed or moved to another place");
  }
  return clearValueOf(clear.toString("utf8"), type ?? "");
}

function clearValueOf(text: string, type: string): ClearValue {
  switch (type) {
    case "str":
    case "bytes":
    case "time":
      return { kind: "value", value: text, text };
    case "int": {
      const value = Number(text);
      if (!/^-?\d+$/u.test(text) || !Number.isSafeInteger(value)) throw malformed("an encrypted number is not valid");
      return { kind: "value", value, text: BigInt(text).toString() };
    }
    case "float": {
      const value = Number(text.replace(/^\+?Inf$/u, "Infinity"));
      return { kind: "value", value, text: formatGoFloat(value) };
    }
    case "bool": {
      const isTrue = parseGoBool(text) === true;
      return { kind: "value", value: isTrue, text: isTrue ? "True" : "False" };
    }
    case "comment":
      return { kind: "comment" };
    default:
      throw malformed("an encrypted value is of a type that is not known");
  }
}

/** Encrypts a value for a context. Empty texts stay empty, as SOPS has it. `iv` are 32 fresh random bytes. */
export function encryptValue(
  value: string | number | boolean,
  { dataKey, context, iv }: { readonly dataKey: Uint8Array; readonly context: string; readonly iv: Uint8Array },
): string {
  if (value === "") return "";
  const cipher = createCipheriv("aes-256-gcm", dataKey, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context, "utf8"));
  const data = Buffer.concat([cipher.update(clearText(value), "utf8"), cipher.final()]);
  const parts = { data, iv: Buffer.from(iv), tag: cipher.getAuthTag() };
  const texts = Object.entries(parts).map(([name, bytes]) => `${name}:${bytes.toString("base64")}`);
  return `ENC[AES256_GCM,${texts.join(",")},type:${typeOf(value)}]`;
}

/** How many random bytes `encryptValue` needs. */
export const ivSizeBytes = ivBytes;

/** How SOPS writes a value into its checksum, and into what it encrypts. */
export function clearText(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? formatGoFloat(value) : value;
}

function typeOf(value: string | number | boolean): "str" | "int" | "float" | "bool" {
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  return Number.isInteger(value) ? "int" : "float";
}
