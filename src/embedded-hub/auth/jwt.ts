import { createHash, createPublicKey, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";

/** A key that signs tokens, or only checks them. RSA (RS256) or P-256 (ES256). */
export interface TokenKey {
  /** Base64url SHA-256 of the public key's SPKI, as kube-apiserver names keys. */
  readonly keyId: string;
  readonly algorithm: "RS256" | "ES256";
  readonly publicKey: KeyObject;
  readonly privateKey?: KeyObject;
}

export interface DecodedJwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** Takes a private or public key. Throws TypeError for anything but RSA and P-256. */
export function tokenKeyOf(key: KeyObject): TokenKey {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  const spki = publicKey.export({ type: "spki", format: "der" });
  const algorithm = algorithmOf(publicKey);
  return {
    keyId: createHash("sha256").update(spki).digest("base64url"),
    algorithm,
    publicKey,
    ...(key.type === "private" ? { privateKey: key } : {}),
  };
}

/** A signed compact JWT. Throws TypeError when the key has no private half. */
export function signJwt(claims: JsonObject, key: TokenKey): string {
  if (key.privateKey === undefined) throw new TypeError("the key cannot sign: it has no private half");
  const signed = `${encode({ alg: key.algorithm, kid: key.keyId })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), signatureOptions(key, key.privateKey));
  return `${signed}.${signature.toString("base64url")}`;
}

/** Characters of a token: a header of HTTP has no room for more, and the body of a TokenReview would. */
const mostTokenCharacters = 64 * 1024;

/** Header and claims without a check of the signature, or undefined when the text is no JWT, or is too long for one. */
export function decodeJwt(token: string): DecodedJwt | undefined {
  if (token.length > mostTokenCharacters) return undefined;
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  const [header, claims] = parts.slice(0, 2).map(decode);
  return header !== undefined && claims !== undefined ? { header, claims } : undefined;
}

/**
 * True when one of `keys` signed the token with the algorithm that belongs to that key, and the signature is written as base64url
 * writes it: a decoder passes over what is none, so one token would have any number of texts.
 */
export function isSignedBy(token: string, header: JsonObject, keys: readonly TokenKey[]): boolean {
  const split = token.lastIndexOf(".");
  const signed = Buffer.from(token.slice(0, split));
  const written = token.slice(split + 1);
  const signature = Buffer.from(written, "base64url");
  if (signature.toString("base64url") !== written) return false;
  // The algorithm comes from the key, never from the token: a token must not choose how it is checked.
  return keys
    .filter((key) => header["alg"] === key.algorithm)
    .some((key) => verify("sha256", signed, signatureOptions(key, key.publicKey), signature));
}

/** The public half as a JSON Web Key, for /openid/v1/jwks. */
export function jsonWebKeyOf(key: TokenKey): JsonObject {
  const { kty, ...numbers } = key.publicKey.export({ format: "jwk" });
  const texts = Object.fromEntries(Object.entries(numbers).filter(([, value]) => typeof value === "string"));
  return { use: "sig", kty: kty ?? "", kid: key.keyId, alg: key.algorithm, ...(texts as JsonObject) };
}

function algorithmOf(key: KeyObject): "RS256" | "ES256" {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  if (key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1") return "ES256";
  throw new TypeError("service account keys must be RSA or P-256");
}

function signatureOptions(key: TokenKey, half: KeyObject) {
  return key.algorithm === "ES256" ? { key: half, dsaEncoding: "ieee-p1363" as const } : { key: half };
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): JsonObject | undefined {
  const value = parseJson(Buffer.from(part, "base64url").toString("utf8"));
  return isJsonObject(value) ? value : undefined;
}
