import { generateKeyPairSync } from "node:crypto";

/** A new trust key, as PKCS #8 PEM. */
export function makeTrustKey(): string {
  return generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
}
