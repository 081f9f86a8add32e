// join/rollcall: the own join protocol. What agent and hub say to each other stands here; hub/ and downstream/ are the
// two halves that say it, manifests/ is what runs downstream.
import { createHmac, createPrivateKey, createPublicKey, sign, timingSafeEqual, verify } from "node:crypto";
import { sha256Hex } from "../../core/digest.ts";
import { AppError } from "../../core/errors.ts";
import { canonicalJson } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { Signed } from "../../model/generated/signed.ts";

/** Version of every message below; it stands in each of them, so that no version's message passes for another's. */
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

/** Where a hub is and how it is recognised; signed by its trust key. */
export interface HubInfo {
  readonly hubId: string;
  /** The trust key's public half, SPKI, base64. Its digest is the hub id. */
  readonly trustKey: string;
  /** Best first. */
  readonly endpoints: readonly HubAddress[];
  /** RFC 3339. Of two infos of one epoch the later one counts. */
  readonly validFrom: string;
  /** Each restore of the hub raises it. */
  readonly epoch: number;
}

export interface HubAddress {
  readonly url: string;
  /** PEM; one or more certificates. */
  readonly caBundle: string;
}

/** Signs a hub-info; `signPayload` is the trust key's Ed25519 signature over the bytes it is given. */
export function signHubInfo(info: HubInfo, signPayload: (payload: Uint8Array) => Uint8Array): Signed {
  const payload = message("hub-info", [info]);
  return { payload: toBase64(payload), signature: toBase64(signPayload(payload)) };
}

/** The hub-info in a signed text. E_HUB_INFO when it is malformed or not signed by the hub of this id. */
export function openHubInfo(signed: Signed, hubId: string): HubInfo {
  const payload = Buffer.from(signed.payload, "base64");
  const info = readHubInfo(payload);
  if (info?.hubId !== hubId || hubIdOf(info.trustKey) !== hubId)
    throw new AppError("E_HUB_INFO", "read the hub's info: it is not of the hub that this agent was given");
  if (!isSignature(info.trustKey, payload, signed.signature))
    throw new AppError("E_HUB_INFO", "read the hub's info: the signature does not fit");
  return info;
}

function readHubInfo(payload: Uint8Array): HubInfo | undefined {
  const [info] = readMessage("hub-info", payload) ?? [];
  return isHubInfo(info) ? info : undefined;
}

function isHubInfo(value: unknown): value is HubInfo {
  if (typeof value !== "object" || value === null) return false;
  const { hubId, trustKey, endpoints, validFrom, epoch } = value as Partial<Record<keyof HubInfo, unknown>>;
  return (
    typeof hubId === "string" &&
    typeof trustKey === "string" &&
    typeof validFrom === "string" &&
    Number.isSafeInteger(epoch) &&
    Array.isArray(endpoints) &&
    endpoints.length > 0 &&
    endpoints.every(isHubAddress)
  );
}

function isHubAddress(value: unknown): value is HubAddress {
  if (typeof value !== "object" || value === null) return false;
  const { url, caBundle } = value as Partial<Record<keyof HubAddress, unknown>>;
  return typeof url === "string" && url.startsWith("https://") && typeof caBundle === "string";
}

/** `sha256:<hex>` of an Ed25519 key's SPKI in base64: the id of a hub, the digest of an agent. */
export function keyDigest(publicKey: string): string {
  return `sha256:${sha256Hex(Buffer.from(publicKey, "base64"))}`;
}

function hubIdOf(trustKey: string): string {
  return keyDigest(trustKey);
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
