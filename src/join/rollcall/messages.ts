// join/rollcall: the own join protocol. The messages between agent and hub are here; hub/ and downstream/ are the
// two sides that send them, manifests/ is what runs downstream.
import { createHmac, createPrivateKey, createPublicKey, sign, timingSafeEqual, verify } from "node:crypto";
import { sha256Hex } from "../../core/digest.ts";
import { canonicalJson } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";

/** Version of every message below; each of them contains it, so that no version's message passes for another's. */
export const protocolVersion = 1;

/** What a proof covers: everything of a registration that the hub acts on. */
export interface RegistrationClaims {
  readonly hubId: string;
  readonly workspace: string;
  readonly tokenName: string;
  readonly signingKey: string;
  readonly sealingKey: string;
  readonly clientID: string;
  readonly clusterName?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** HMAC-SHA256, hex, by a token's proofKey. It proves that the sender has that token's values. */
export function registrationProof(proofKey: Uint8Array, claims: RegistrationClaims): string {
  return createHmac("sha256", proofKey).update(registrationMessage(claims)).digest("hex");
}

/** True when `proof` is the proof of these claims. Takes the same time wherever they differ. */
export function isRegistrationProof(proof: string, proofKey: Uint8Array, claims: RegistrationClaims): boolean {
  const given = Buffer.from(proof, "hex");
  const wanted = Buffer.from(registrationProof(proofKey, claims), "hex");
  return proofKey.length >= 32 && given.length === wanted.length && timingSafeEqual(given, wanted);
}

export function registrationMessage(claims: RegistrationClaims): Uint8Array {
  const { hubId, workspace, tokenName, signingKey, sealingKey, clientID, clusterName, labels } = claims;
  return message("registration", [
    hubId,
    workspace,
    tokenName,
    signingKey,
    sealingKey,
    clientID,
    clusterName ?? null,
    labels ?? {},
  ]);
}

/** The claims of a renewal request. */
export interface RenewalClaims {
  readonly hubId: string;
  readonly workspace: string;
  readonly cluster: string;
  /** Greater than that of every request before it. */
  readonly nonce: number;
  /** Number of the newest credential that the agent has. */
  readonly credential: number;
}

export function renewalMessage({ hubId, workspace, cluster, nonce, credential }: RenewalClaims): Uint8Array {
  return message("renewal", [hubId, workspace, cluster, nonce, credential]);
}

/** `sha256:<hex>` of an Ed25519 key's SPKI in base64: the id of a hub, the digest of an agent. */
export function keyDigest(publicKey: string): string {
  return `sha256:${sha256Hex(Buffer.from(publicKey, "base64"))}`;
}

/** Ed25519 signature, base64, by a private key in PKCS #8, base64. */
export function signMessage(privateKey: string, content: Uint8Array): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  return toBase64(sign(null, content, key));
}

/** True when `signature` is the Ed25519 signature of `content` by the holder of `publicKey` (SPKI, base64). */
export function isSignature(publicKey: string, content: Uint8Array, signature: string): boolean {
  const key = signingKeyOf(publicKey);
  return key !== undefined && verify(null, content, key, Buffer.from(signature, "base64"));
}

/** True when the text is an Ed25519 public key: SPKI, base64 in its one canonical form. */
export function isSigningKey(publicKey: string): boolean {
  const key = signingKeyOf(publicKey);
  return key !== undefined && toBase64(key.export({ format: "der", type: "spki" })) === publicKey;
}

/** True when the text is 32 bytes in base64 in its one canonical form. */
export function isSealingKey(publicKey: string): boolean {
  const bytes = Buffer.from(publicKey, "base64");
  return bytes.length === 32 && toBase64(bytes) === publicKey;
}

function signingKeyOf(publicKey: string) {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined; // not a key at all: the caller decides what that means
  }
}

/**
 * The bytes of a message: canonical JSON of a list that begins with kind and version. Two messages have equal bytes only
 * if they are of one kind and all their parts are equal.
 */
export function message(kind: string, parts: readonly unknown[]): Uint8Array {
  return Buffer.from(canonicalJson([`rollcall/v${protocolVersion}/${kind}`, ...parts]), "utf8");
}

/** The parts of a message of this kind and version, or undefined. */
export function readMessage(kind: string, bytes: Uint8Array): unknown[] | undefined {
  const value = parseJson(Buffer.from(bytes).toString("utf8"));
  if (!Array.isArray(value) || value[0] !== `rollcall/v${protocolVersion}/${kind}`) return undefined;
  const [, ...parts] = value as unknown[];
  return parts;
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
