import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
} from "node:crypto";
import type { KeyObject } from "node:crypto";
import { AppError } from "../../core/errors.ts";

/**
 * HPKE (RFC 9180), single shot: base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM. Built on node:crypto: a
 * library costs an agent 16 MB of memory (docs/decisions/). Checked by the vectors of the RFC.
 */
const kemId = 0x0020;
const kdfId = 0x0001;
const aeadId = 0x0001;
const keyBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const publicKeyBytes = 32;

const kemSuite = Buffer.concat([Buffer.from("KEM"), uint16(kemId)]);
const hpkeSuite = Buffer.concat([Buffer.from("HPKE"), uint16(kemId), uint16(kdfId), uint16(aeadId)]);

/** DER in front of the 32 bytes of a key. Source: RFC 8410. */
const pkcs8Prefix = Buffer.from("302e020100300506032b656e04220420", "hex");
const spkiPrefix = Buffer.from("302a300506032b656e032100", "hex");

export interface SealInput {
  /** 32 raw bytes. */
  readonly recipientPublicKey: Uint8Array;
  /** 32 random bytes: the ephemeral private key. Used once. */
  readonly ephemeralPrivateKey: Uint8Array;
  /** What the ciphertext belongs to; it opens only with the same. */
  readonly info: Uint8Array;
  readonly plaintext: Uint8Array;
  readonly additionalData?: Uint8Array;
}

export interface SealedBytes {
  /** 32 bytes. */
  readonly enc: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** Seals bytes to a public key. E_SEALED when the key is none. */
export function hpkeSeal(input: SealInput): SealedBytes {
  const ephemeral = privateKeyOf(input.ephemeralPrivateKey);
  const enc = rawPublicKey(ephemeral);
  const shared = sharedSecret(ephemeral, input.recipientPublicKey, Buffer.concat([enc, input.recipientPublicKey]));
  const { key, nonce } = keySchedule(shared, input.info);
  const cipher = createCipheriv("aes-128-gcm", key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(input.additionalData ?? Buffer.alloc(0));
  return { enc, ciphertext: Buffer.concat([cipher.update(input.plaintext), cipher.final(), cipher.getAuthTag()]) };
}

export interface OpenInput extends SealedBytes {
  /** 32 raw bytes. */
  readonly recipientPrivateKey: Uint8Array;
  readonly info: Uint8Array;
  readonly additionalData?: Uint8Array;
}

/** Opens what {@link hpkeSeal} sealed. E_SEALED when key, info or bytes are not those it was sealed with. */
export function hpkeOpen(input: OpenInput): Uint8Array {
  const recipient = privateKeyOf(input.recipientPrivateKey);
  const shared = sharedSecret(recipient, input.enc, Buffer.concat([input.enc, rawPublicKey(recipient)]));
  const { key, nonce } = keySchedule(shared, input.info);
  const body = Buffer.from(input.ciphertext);
  if (body.length < tagBytes) throw new AppError("E_SEALED", "open a sealed answer: it is too short");
  try {
    const decipher = createDecipheriv("aes-128-gcm", key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(input.additionalData ?? Buffer.alloc(0));
    decipher.setAuthTag(body.subarray(body.length - tagBytes));
    return Buffer.concat([decipher.update(body.subarray(0, body.length - tagBytes)), decipher.final()]);
  } catch (cause) {
    throw new AppError("E_SEALED", "open a sealed answer: it was sealed for another key or purpose", { cause });
  }
}

/** The public half, 32 raw bytes, of 32 raw bytes of private key. */
export function x25519PublicKey(privateKey: Uint8Array): Uint8Array {
  return rawPublicKey(privateKeyOf(privateKey));
}

/** DH and ExtractAndExpand of RFC 9180, section 4.1. */
function sharedSecret(own: KeyObject, other: Uint8Array, context: Uint8Array): Buffer {
  if (other.length !== publicKeyBytes) throw new AppError("E_SEALED", "seal an answer: the key is not 32 bytes");
  let dh: Buffer;
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([spkiPrefix, other]), format: "der", type: "spki" });
    dh = diffieHellman({ privateKey: own, publicKey });
  } catch (cause) {
    throw new AppError("E_SEALED", "seal an answer: the key is not usable", { cause });
  }
  // With a key of small order the shared secret is the same for all.
  if (dh.every((byte) => byte === 0)) throw new AppError("E_SEALED", "seal an answer: the key is not usable");
  const prk = labeledExtract(kemSuite, Buffer.alloc(0), "eae_prk", dh);
  return labeledExpand(kemSuite, prk, "shared_secret", { info: context, length: 32 });
}

/** KeySchedule of RFC 9180, section 5.1, base mode; sequence number 0, so the nonce is the base nonce. */
function keySchedule(shared: Uint8Array, info: Uint8Array): { key: Buffer; nonce: Buffer } {
  const none = Buffer.alloc(0);
  const pskIdHash = labeledExtract(hpkeSuite, none, "psk_id_hash", none);
  const infoHash = labeledExtract(hpkeSuite, none, "info_hash", info);
  const context = Buffer.concat([Buffer.from([0]), pskIdHash, infoHash]);
  const secret = labeledExtract(hpkeSuite, shared, "secret", none);
  return {
    key: labeledExpand(hpkeSuite, secret, "key", { info: context, length: keyBytes }),
    nonce: labeledExpand(hpkeSuite, secret, "base_nonce", { info: context, length: nonceBytes }),
  };
}

function labeledExtract(suite: Uint8Array, salt: Uint8Array, label: string, material: Uint8Array): Buffer {
  return hmac(salt, Buffer.concat([Buffer.from("HPKE-v1"), suite, Buffer.from(label), material]));
}

/** LabeledExpand for lengths of at most one block, which is all this suite needs. */
function labeledExpand(
  suite: Uint8Array,
  prk: Uint8Array,
  label: string,
  { info, length }: { readonly info: Uint8Array; readonly length: number },
): Buffer {
  const labeled = Buffer.concat([uint16(length), Buffer.from("HPKE-v1"), suite, Buffer.from(label), info]);
  return hmac(prk, Buffer.concat([labeled, Buffer.from([1])])).subarray(0, length);
}

function hmac(key: Uint8Array, content: Uint8Array): Buffer {
  return createHmac("sha256", key).update(content).digest();
}

function privateKeyOf(raw: Uint8Array): KeyObject {
  if (raw.length !== publicKeyBytes) throw new AppError("E_SEALED", "use a sealing key: it is not 32 bytes");
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, raw]), format: "der", type: "pkcs8" });
}

function rawPublicKey(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(spkiPrefix.length);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
