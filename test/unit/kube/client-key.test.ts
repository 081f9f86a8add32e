import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { JsonWebKey, KeyObject } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readClientKey } from "../../../src/kube/client-key.ts";
import { der, derInteger, rsaKeyPem } from "../../support/rsa-key-pem.ts";

/** What `openssl ecparam -name prime256v1 -genkey` writes in front of the key. */
const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

const rsaKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const rsaParts = rsaKey.export({ format: "jwk" });
const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1" = "pkcs8"): string =>
  key.export({ type, format: "pem" }).toString();
const ecKey = (namedCurve: string): KeyObject => generateKeyPairSync("ec", { namedCurve }).privateKey;

/** An odd number with its highest bit. */
function largeNumber(bits: number): Buffer {
  const bytes = randomBytes(bits / 8);
  bytes[0] = 0xff;
  bytes[bytes.length - 1] = 0xff;
  return bytes;
}

function rsaWith(parts: JsonWebKey): string {
  return rsaKeyPem({ ...rsaParts, ...parts });
}

/** PKCS #8 of a key of DSA: OpenSSL computes its public half when it reads the key. */
function dsaKey(bits: number, version = Buffer.from([0x02, 1, 0])): string {
  const numbers = [largeNumber(bits), largeNumber(bits), Buffer.from([2])].map(derInteger);
  const algorithm = der(0x30, der(0x06, Buffer.from("2a8648ce380401", "hex")), der(0x30, ...numbers));
  const bytes = der(0x30, version, algorithm, der(0x04, derInteger(largeNumber(bits))));
  return `-----BEGIN PRIVATE KEY-----\n${bytes.toString("base64")}\n-----END PRIVATE KEY-----\n`;
}

/** Node.js 24 reads no key of such parts. */
const foreignParts = /its parts are not|not a whole key/u;

describe("readClientKey", () => {
  it.each([
    { name: "RSA, PKCS #8", key: rsaKey, text: pem(rsaKey) },
    { name: "RSA, PKCS #1", key: rsaKey, text: pem(rsaKey, "pkcs1") },
    ...["P-256", "P-384", "P-521"].map((curve) => {
      const key = ecKey(curve);
      return { name: `${curve}, PKCS #8`, key, text: pem(key) };
    }),
    ...["P-256", "P-384"].map((curve) => {
      const key = ecKey(curve);
      return { name: `${curve}, as openssl ecparam writes it`, key, text: `${parameters}${pem(key, "sec1")}` };
    }),
    ...[generateKeyPairSync("ed25519").privateKey].map((key) => ({ name: "Ed25519", key, text: pem(key) })),
  ])("keeps a key of $name", ({ key, text }) => {
    expect(readClientKey(text)).toEqual({ keyPem: pem(key) });
    expect(readClientKey(text.replaceAll("\n", "\r\n"))).toEqual({ keyPem: pem(key) });
  });

  it.each([
    {
      what: "no key",
      text: "-----BEGIN PRIVATE KEY-----\nMIIC\n-----END PRIVATE KEY-----\n",
      reason: /not a key of RSA/u,
    },
    { what: "a public key", text: pemOfPublic(), reason: /not a key of RSA/u },
    { what: "half of a key", text: halfOf(pem(rsaKey)), reason: /not a whole key/u },
    { what: "a key with a password", text: withPassword(), reason: /without a password/u },
    { what: "another curve", text: pem(ecKey("secp256k1")), reason: /P-256, P-384 or P-521/u },
    {
      what: "RSA-PSS",
      text: pem(generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).privateKey),
      reason: /not a key/u,
    },
  ])("refuses $what", ({ text, reason }) => {
    expect(readClientKey(text).refusal).toMatch(reason);
  });

  it.each([
    { what: "65,536 bits", text: rsaWith(ofBits(65_536)), reason: /more than 16384 characters/u },
    { what: "16,384 bits", text: rsaWith(ofBits(16_384)), reason: /more than 8192 bits/u },
    {
      what: "primes of 16,384 bits",
      text: rsaWith({ p: numberOf(16_384), q: numberOf(16_384) }),
      reason: foreignParts,
    },
    { what: "a prime of 16,384 bits", text: rsaWith({ q: numberOf(16_384) }), reason: foreignParts },
    { what: "an exponent of 32,768 bits", text: rsaWith({ d: numberOf(32_768) }), reason: foreignParts },
    { what: "a public exponent of 2,048 bits", text: rsaWith({ e: numberOf(2048) }), reason: /parts/u },
    { what: "numbers of DSA with 16,384 bits", text: dsaKey(16_384), reason: /not a key of RSA/u },
    {
      what: "numbers of DSA with 16,384 bits behind a long version",
      text: dsaKey(16_384, Buffer.from([0x02, 0x82, 0, 1, 0])),
      reason: /not a key of RSA/u,
    },
    {
      what: "numbers of DSA with 16,384 bits in the place of a key of RSA",
      text: dsaKey(16_384).replaceAll("PRIVATE KEY", "RSA PRIVATE KEY"),
      reason: /not a key of RSA/u,
    },
  ])("A112 refuses a key with $what, before it is used", ({ text, reason }) => {
    expect(readClientKey(text).refusal).toMatch(reason);
  });
});

function numberOf(bits: number): string {
  return largeNumber(bits).toString("base64url");
}

function ofBits(bits: number): JsonWebKey {
  const half = numberOf(bits / 2);
  return { n: numberOf(bits), d: numberOf(bits), p: half, q: half, dp: half, dq: half, qi: half };
}

function pemOfPublic(): string {
  return generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
}

function halfOf(text: string): string {
  const lines = text.split("\n");
  return [...lines.slice(0, 10), ...lines.slice(-2)].join("\n");
}

function withPassword(): string {
  return rsaKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString();
}
