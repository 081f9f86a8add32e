import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decodeJwt, isSignedBy, jsonWebKeyOf, signJwt, tokenKeyOf } from "../../../../src/embedded-hub/auth/jwt.ts";
import type { TokenKey } from "../../../../src/embedded-hub/auth/jwt.ts";

const rsaPair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const rsa = tokenKeyOf(rsaPair.privateKey);
const [curve, otherCurve] = [1, 2].map(() => tokenKeyOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey));

function isSigned(token: string, ...keys: (TokenKey | undefined)[]): boolean {
  const header = decodeJwt(token)?.header ?? {};
  return isSignedBy(
    token,
    header,
    keys.filter((key) => key !== undefined),
  );
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

describe("tokenKeyOf", () => {
  it("signs with a private key, and only checks with a public one", () => {
    const publicOnly = tokenKeyOf(rsaPair.publicKey);
    expect(rsa.privateKey).toBe(rsaPair.privateKey);
    expect(publicOnly).not.toHaveProperty("privateKey");
    expect([publicOnly.keyId, publicOnly.algorithm]).toEqual([rsa.keyId, "RS256"]);
    expect(isSigned(signJwt({}, rsa), publicOnly)).toBe(true);
    expect(() => signJwt({}, publicOnly)).toThrow("the key cannot sign: it has no private half");
  });

  it("names a key by the SHA-256 of its public half", () => {
    expect(rsa.keyId).toMatch(/^[\w-]{43}$/u);
    expect(new Set([rsa.keyId, curve?.keyId, otherCurve?.keyId]).size).toBe(3);
  });

  it.each([
    { name: "P-384", key: generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey },
    { name: "secp256k1", key: generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey },
    { name: "Ed25519", key: generateKeyPairSync("ed25519").privateKey },
    { name: "RSA-PSS", key: generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).privateKey },
  ])("refuses a key of $name", ({ key }) => {
    expect(() => tokenKeyOf(key)).toThrow("service account keys must be RSA or P-256");
  });
});

describe("signJwt", () => {
  it.each([
    { key: rsa, algorithm: "RS256", signatureBytes: 256 },
    { key: curve, algorithm: "ES256", signatureBytes: 64 },
  ])("makes a token of $algorithm that only its key made", ({ key, algorithm, signatureBytes }) => {
    if (key === undefined) throw new Error("no key");
    const token = signJwt({ sub: "a" }, key);
    expect(decodeJwt(token)).toEqual({ header: { alg: algorithm, kid: key.keyId }, claims: { sub: "a" } });
    expect(Buffer.from(token.split(".")[2] ?? "", "base64url")).toHaveLength(signatureBytes);
    expect(isSigned(token, key)).toBe(true);
    expect(isSigned(token, otherCurve, key)).toBe(true);
    expect(isSigned(token, otherCurve)).toBe(false);
    expect(isSigned(token)).toBe(false);
  });
});

describe("isSignedBy", () => {
  it("wants the algorithm of the key, whatever the signature is", () => {
    const token = signJwt({}, rsa);
    for (const alg of ["ES256", "HS256", "none", "", undefined]) {
      expect(isSignedBy(token, alg === undefined ? {} : { alg }, [rsa])).toBe(false);
    }
  });

  it("checks header and claims, and each character of them", () => {
    const [header = "", claims = "", signature = ""] = signJwt({ sub: "a" }, rsa).split(".");
    expect(isSigned(`${header}.${claims}.${signature}`, rsa)).toBe(true);
    expect(isSigned(`${header}.${part({ sub: "b" })}.${signature}`, rsa)).toBe(false);
    expect(isSigned(`${part({ alg: "RS256" })}.${claims}.${signature}`, rsa)).toBe(false);
    expect(isSigned(`${header}.${claims}.`, rsa)).toBe(false);
  });
});

describe("decodeJwt", () => {
  const token = `${part({ alg: "x" })}.${part({ sub: "a" })}.`;

  it("reads header and claims, without a check of the signature", () => {
    expect(decodeJwt(token)).toEqual({ header: { alg: "x" }, claims: { sub: "a" } });
  });

  it.each([
    `${part({})}.${part({})}`,
    `${token}.`,
    `${part([])}.${part({})}.`,
    `${part({})}.${part("a")}.`,
    `${part({})}.${part(null)}.`,
    `e30x.${part({})}.`,
    "..",
    "",
  ])("reads nothing from %j", (text) => {
    expect(decodeJwt(text)).toBeUndefined();
  });

  it("reads a token of 64 KiB, and none that is longer", () => {
    const room = 64 * 1024 - token.length;
    expect(decodeJwt(token + "s".repeat(room))).toBeDefined();
    expect(decodeJwt(token + "s".repeat(room + 1))).toBeUndefined();
  });
});

describe("jsonWebKeyOf", () => {
  it("has the public half, and nothing of the private one", () => {
    expect(Object.keys(jsonWebKeyOf(rsa)).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    if (curve === undefined) throw new Error("no key");
    const ofCurve = jsonWebKeyOf(curve);
    expect(Object.keys(ofCurve).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    expect(ofCurve).toMatchObject({ use: "sig", kty: "EC", crv: "P-256", alg: "ES256", kid: curve.keyId });
  });
});
