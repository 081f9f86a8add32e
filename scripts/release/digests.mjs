import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The list of digests, as sha256sum writes it. */
export const sums = "SHA256SUMS";
/** The signature of the list, in the form that OpenSSL and cosign write. */
export const signature = "SHA256SUMS.sig";

/** The statement of provenance in a signed envelope. No two signatures are the same, so the list does not name it. */
export const envelope = "provenance.dsse.json";

/** Every file but the list itself and what is signed beside it, in the order of names. */
export function digestsOf(folder) {
  const names = readdirSync(folder).filter((name) => ![sums, signature, envelope].includes(name));
  return names.sort().map((name) => ({ name, sha256: digestOf(join(folder, name)) }));
}

/** SHA-256 of a file, in hexadecimal. */
export function digestOf(path) {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
