import { createPrivateKey } from "node:crypto";
import type { JsonWebKey, KeyObject } from "node:crypto";

/** The signature of a key of 8,192 bits takes some 100 ms, and eight times that with each doubling. */
const mostRsaBits = 8192;
/** A key of RSA of 8,192 bits has 6,400. */
const mostCharacters = 16 * 1024;
const usedCurves: readonly unknown[] = ["prime256v1", "secp384r1", "secp521r1"];
/** Object identifiers in DER, in hex: RSA, EC and Ed25519. Source: RFC 8017, 5480 and 8410. */
const usedAlgorithms: readonly string[] = ["2a864886f70d010101", "2a8648ce3d0201", "2b6570"];

/** A key of a client certificate in PEM, or why it is not used. */
export type ClientKey =
  | { readonly keyPem: string; readonly refusal?: never }
  | { readonly keyPem?: never; readonly refusal: string };

/**
 * The key of an untrusted kubeconfig, written anew from the numbers that a signature needs. OpenSSL signs in one piece, in which
 * nothing else has its turn, and believes the key: with primes of 32,768 bits, which need no relation to the rest of it, a
 * signature takes minutes. So does the mere reading of a key of DSA.
 */
export function readClientKey(pem: string): ClientKey {
  if (pem.length > mostCharacters) return { refusal: `it has more than ${mostCharacters} characters` };
  const der = derOf(pem);
  const form = der && formOf(der);
  if (der === undefined || form === undefined)
    return { refusal: "it is not a key of RSA, ECDSA or Ed25519 without a password" };
  const key = parse(() => createPrivateKey({ key: der, format: "der", type: form }));
  switch (key?.asymmetricKeyType) {
    case "ed25519":
      return { keyPem: pemOf(key) };
    case "ec":
      return usedCurves.includes(key.asymmetricKeyDetails?.namedCurve)
        ? { keyPem: pemOf(key) }
        : { refusal: "its curve is not P-256, P-384 or P-521" };
    case "rsa":
      return readRsaKey(key);
    default:
      return { refusal: "it is not a whole key" };
  }
}

function readRsaKey(key: KeyObject): ClientKey {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits > mostRsaBits) return { refusal: `it has more than ${mostRsaBits} bits` };
  const { n, e, d, p, q, dp, dq, qi } = key.export({ format: "jwk" });
  const isShort = (parts: readonly (string | undefined)[], most: number): boolean =>
    parts.every((part) => part !== undefined && Buffer.byteLength(part, "base64url") <= most);
  const modulusBytes = Math.ceil(bits / 8);
  const areShort = isShort([n, d], modulusBytes) && isShort([p, q, dp, dq, qi], Math.ceil(modulusBytes / 2) + 1);
  if (!areShort || !isShort([e], 8)) return { refusal: "its parts are not those of one key of RSA" };
  // This form has no further primes.
  const jwk: JsonWebKey = { kty: "RSA", n, e, d, p, q, dp, dq, qi };
  const plain = parse(() => createPrivateKey({ key: jwk, format: "jwk" }));
  return plain === undefined ? { refusal: "it is not a whole key" } : { keyPem: pemOf(plain) };
}

function derOf(pem: string): Buffer | undefined {
  const [, base64] = /-----BEGIN (?:RSA |EC )?PRIVATE KEY-----([\sA-Za-z0-9+/=]*)-----END/u.exec(pem) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}

/** What the bytes are, by what comes behind the version; undefined for another algorithm. */
function formOf(der: Buffer): "pkcs1" | "sec1" | "pkcs8" | undefined {
  const version = contentAt(der, 0);
  // A longer form of the version, which OpenSSL takes too, would hide what follows.
  if (der[version] !== 0x02 || der[version + 1] !== 1) return undefined;
  const next = version + 3;
  switch (der[next]) {
    case 0x02: // the modulus
      return "pkcs1";
    case 0x04: // the number that is the key
      return "sec1";
    case 0x30: {
      const algorithm = contentAt(der, next);
      const start = contentAt(der, algorithm);
      const oid = der.subarray(start, start + (der[algorithm + 1] ?? 0)).toString("hex");
      return usedAlgorithms.includes(oid) ? "pkcs8" : undefined;
    }
    default:
      return undefined;
  }
}

/** Where the content of the value at `start` begins. Source: X.690, 8.1.3. */
function contentAt(der: Buffer, start: number): number {
  const length = der[start + 1] ?? 0;
  return start + 2 + (length < 0x80 ? 0 : length - 0x80);
}

function parse(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch {
    // The message of OpenSSL is of no use to a person.
    return undefined;
  }
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
