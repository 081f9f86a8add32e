import { createHash } from "node:crypto";
import { canonicalJson } from "./json.ts";

/** Lower-case hex SHA-256 of text (as UTF-8) or bytes. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** SHA-256 of a JSON value, independent of the order of its keys. */
export function digestJson(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}
