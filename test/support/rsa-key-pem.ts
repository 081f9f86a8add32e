import type { JsonWebKey } from "node:crypto";

/** A value of DER. */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const head = Buffer.from([tag, 0x82, 0, 0]);
  head.writeUInt16BE(content.length, 2);
  return Buffer.concat([head, content]);
}

/** A positive integer of DER. */
export function derInteger(bytes: Buffer): Buffer {
  const sign = (bytes[0] ?? 0) >= 0x80 ? [Buffer.from([0])] : [];
  return der(0x02, ...sign, bytes);
}

/**
 * PKCS #1 of a key of RSA whose numbers need not be those of one key. Node.js itself writes no such key since version 24. Source:
 * RFC 8017, A.1.2.
 */
export function rsaKeyPem({ n, e, d, p, q, dp, dq, qi }: JsonWebKey): string {
  const numbers = [n, e, d, p, q, dp, dq, qi].map((text = "") => derInteger(Buffer.from(text, "base64url")));
  const bytes = der(0x30, Buffer.from([0x02, 1, 0]), ...numbers);
  return `-----BEGIN RSA PRIVATE KEY-----\n${bytes.toString("base64")}\n-----END RSA PRIVATE KEY-----\n`;
}
