import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The list of digests, as sha256sum writes it. */
export const sums = "SHA256SUMS";
/** The signature of the list, in the form that OpenSSL and cosign write. */
export const signature = "SHA256SUMS.sig";

/** Every file but the list itself and its signature, in the order of names. */
export function digestsOf(folder) {
  const names = readdirSync(folder).filter((name) => name !== sums && name !== signature);
  return names.sort().map((name) => ({ name, sha256: digestOf(join(folder, name)) }));
}

/** SHA-256 of a file, in hexadecimal. */
export function digestOf(path) {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
