import { ownValue } from "../../core/own-value.ts";
import { createHash, createPublicKey, verify } from "node:crypto";
import type { JsonWebKey, KeyObject } from "node:crypto";
import { readSsh } from "./ssh-wire.ts";
import type { SshReader } from "./ssh-wire.ts";
import { trimEndOf } from "../../core/trim-characters.ts";

/** A public key of SSH that is strong enough to be trusted with signatures. */
export interface SshPublicKey {
  /** As it is in `.pub` files: `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa`, ... */
  readonly type: string;
  /** `SHA256:...`, as ssh-keygen prints it. */
  readonly fingerprint: string;
  /** The key in the form in which it is compared. */
  readonly blob: Buffer;
  /** Checks a signature's blob over `message`. False for anything that is no good signature of this key. */
  readonly verify: (message: Uint8Array, signature: Uint8Array) => SignatureResult;
}

export type SignatureResult = "good" | "bad" | "malformed" | "unsupported";

export type ParsedKey =
  | { readonly kind: "key"; readonly key: SshPublicKey }
  | { readonly kind: "refused"; readonly reason: KeyRefusal; readonly message: string };

/** `weak`: too short, or of an algorithm that is broken. `certificate`: signed by an authority; not supported. */
export type KeyRefusal = "malformed" | "weak" | "certificate" | "unsupported";

const minimumRsaBits = 2048;
const maximumRsaBits = 16_384;

const curves: Readonly<Record<string, { readonly crv: string; readonly sizeBytes: number; readonly hash: string }>> = {
  nistp256: { crv: "P-256", sizeBytes: 32, hash: "sha256" },
  nistp384: { crv: "P-384", sizeBytes: 48, hash: "sha384" },
  nistp521: { crv: "P-521", sizeBytes: 66, hash: "sha512" },
};

/**
 * The key in a blob as public key files and signatures carry it. Ed25519, ECDSA and RSA from 2048 bits on, and Ed25519
 * and ECDSA on security keys; DSA, short RSA keys and certificates are refused.
 * Source: RFC 4253 section 6.6, RFC 5656, RFC 8709; OpenSSH, PROTOCOL.u2f.
 */
export function parseSshPublicKey(blob: Uint8Array): ParsedKey {
  const reader = readSsh(blob);
  const type = reader.name();
  if (type === undefined) return refused("malformed", "it is no public key of SSH");
  if (type.includes("-cert-v0")) return refused("certificate", `${type}: certificates are not supported`);
  const fields = readFields(type, reader);
  if ("kind" in fields) return fields;
  if (!reader.isAtEnd()) return refused("malformed", `${type}: there is something behind the key`);
  const publicKey = importKey(fields.jwk);
  if (publicKey === undefined) return refused("malformed", `${type}: the key is not valid`);
  const hash = trimEndOf(createHash("sha256").update(blob).digest("base64"), "=");
  return {
    kind: "key",
    key: {
      type,
      fingerprint: `SHA256:${hash}`,
      blob: Buffer.from(blob),
      verify: (message, signature) => fields.verify(publicKey, message, readSsh(signature)),
    },
  };
}

interface KeyFields {
  readonly jwk: JsonWebKey;
  readonly verify: (key: KeyObject, message: Uint8Array, signature: SshReader) => SignatureResult;
}

type Refused = Extract<ParsedKey, { kind: "refused" }>;

function refused(reason: KeyRefusal, message: string): Refused {
  return { kind: "refused", reason, message };
}

function readFields(type: string, reader: SshReader): KeyFields | Refused {
  switch (type) {
    case "ssh-ed25519":
      return withRawSignature(type, readEd25519(reader), verifyEd25519);
    case "sk-ssh-ed25519@openssh.com":
      return withApplication(type, readEd25519(reader), { reader, verifyRaw: verifyEd25519 });
    case "ecdsa-sha2-nistp256":
    case "ecdsa-sha2-nistp384":
    case "ecdsa-sha2-nistp521": {
      const curve = type.slice("ecdsa-sha2-".length);
      return withRawSignature(type, readEcdsa(curve, reader), verifierOfCurve(curve));
    }
    case "sk-ecdsa-sha2-nistp256@openssh.com":
      return withApplication(type, readEcdsa("nistp256", reader), { reader, verifyRaw: verifierOfCurve("nistp256") });
    case "ssh-rsa":
      return readRsa(reader);
    case "ssh-dss":
      return refused("weak", "DSA keys are not accepted");
    default:
      return refused("unsupported", `keys of the type ${type.slice(0, 60)} are not supported`);
  }
}

/** Checks the bare signature of an algorithm. */
type RawVerifier = (key: KeyObject, message: Uint8Array, raw: Buffer) => boolean;

function isRefused(value: JsonWebKey | Refused): value is Refused {
  return "kind" in value;
}

function readEd25519(reader: SshReader): JsonWebKey | Refused {
  const point = reader.bytes();
  if (point?.length !== 32) return refused("malformed", "the key does not have 32 bytes");
  return { kty: "OKP", crv: "Ed25519", x: point.toString("base64url") };
}

function verifyEd25519(key: KeyObject, message: Uint8Array, raw: Buffer): boolean {
  return raw.length === 64 && verify(null, message, key, raw);
}

function readEcdsa(curveName: string, reader: SshReader): JsonWebKey | Refused {
  const name = reader.name();
  const point = reader.bytes();
  const curve = ownValue(curves, curveName);
  if (name !== curveName || curve === undefined || point === undefined) {
    return refused("malformed", "the key's curve is not that of its type");
  }
  // 4 marks a point that is written out in full; OpenSSH knows no other form.
  if (point[0] !== 4 || point.length !== 1 + 2 * curve.sizeBytes) return refused("malformed", "the key is no point");
  const [x, y] = [point.subarray(1, 1 + curve.sizeBytes), point.subarray(1 + curve.sizeBytes)];
  return { kty: "EC", crv: curve.crv, x: x.toString("base64url"), y: y.toString("base64url") };
}

function verifierOfCurve(curveName: string): RawVerifier {
  return (key, message, raw) => {
    const curve = ownValue(curves, curveName);
    const reader = readSsh(raw);
    const [r, s] = [reader.bytes(), reader.bytes()];
    if (curve === undefined || r === undefined || s === undefined || !reader.isAtEnd()) return false;
    const [left, right] = [fixedSize(r, curve.sizeBytes), fixedSize(s, curve.sizeBytes)];
    if (left === undefined || right === undefined) return false;
    return verify(curve.hash, message, { key, dsaEncoding: "ieee-p1363" }, Buffer.concat([left, right]));
  };
}

/** A non-negative `mpint` of RFC 4251 as exactly `sizeBytes` bytes, or undefined when it does not fit. */
function fixedSize(mpint: Buffer, sizeBytes: number): Buffer | undefined {
  if ((mpint[0] ?? 0) > 127) return undefined;
  const start = mpint.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.alloc(0) : mpint.subarray(start);
  if (digits.length > sizeBytes) return undefined;
  return Buffer.concat([Buffer.alloc(sizeBytes - digits.length), digits]);
}

/** A key whose signatures are the algorithm's own, behind its name. */
function withRawSignature(type: string, jwk: JsonWebKey | Refused, verifyRaw: RawVerifier): KeyFields | Refused {
  if (isRefused(jwk)) return jwk;
  return {
    jwk,
    verify: (key, message, signature) => {
      if (signature.name() !== type) return "unsupported";
      const raw = signature.bytes();
      if (raw === undefined || !signature.isAtEnd()) return "malformed";
      return verifyRaw(key, message, raw) ? "good" : "bad";
    },
  };
}

function readRsa(reader: SshReader): KeyFields | Refused {
  const exponent = reader.bytes();
  const modulus = reader.bytes();
  const [e, n] = [exponent && unsigned(exponent), modulus && unsigned(modulus)];
  if (e === undefined || n === undefined) return refused("malformed", "the key's numbers are not valid");
  const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24;
  if (bits < minimumRsaBits)
    return refused("weak", `RSA keys need at least ${minimumRsaBits} bits; this one has ${bits}`);
  if (bits > maximumRsaBits) return refused("unsupported", `RSA keys may have at most ${maximumRsaBits} bits`);
  // With an exponent of 1 any sender can sign; even exponents are not valid RSA.
  const isWeakExponent = e.length > 8 || (e.length === 1 && (e[0] ?? 0) < 3) || (e.at(-1) ?? 0) % 2 === 0;
  if (isWeakExponent) return refused("weak", "the RSA key's exponent is not safe");
  return {
    jwk: { kty: "RSA", n: n.toString("base64url"), e: e.toString("base64url") },
    verify: (key, message, signature) => {
      const algorithm = signature.name();
      // "ssh-rsa" as the algorithm of a signature means SHA-1.
      const hash = algorithm === "rsa-sha2-512" ? "sha512" : algorithm === "rsa-sha2-256" ? "sha256" : undefined;
      if (hash === undefined) return "unsupported";
      const raw = signature.bytes();
      if (raw === undefined || !signature.isAtEnd() || raw.length > n.length) return "malformed";
      const padded = Buffer.concat([Buffer.alloc(n.length - raw.length), raw]);
      return verify(hash, message, key, padded) ? "good" : "bad";
    },
  };
}

/** The digits of a positive `mpint`, or undefined. */
function unsigned(mpint: Buffer): Buffer | undefined {
  if (mpint.length === 0 || (mpint[0] ?? 0) > 127) return undefined;
  const digits = mpint[0] === 0 ? mpint.subarray(1) : mpint;
  return digits.length === 0 || digits[0] === 0 ? undefined : digits;
}

/** Set in the flags of a security key's signature when a person touched it. */
const userPresent = 0x01;

/** A key on a security key: it signs hashes, together with its application, flags and a counter. */
function withApplication(
  type: string,
  jwk: JsonWebKey | Refused,
  { reader, verifyRaw }: { readonly reader: SshReader; readonly verifyRaw: RawVerifier },
): KeyFields | Refused {
  if (isRefused(jwk)) return jwk;
  const application = reader.bytes();
  if (application === undefined) return refused("malformed", "the key names no application");
  const hashOf = (content: Uint8Array) => createHash("sha256").update(content).digest();
  return {
    jwk,
    verify: (key, message, signature) => {
      if (signature.name() !== type) return "unsupported";
      const raw = signature.bytes();
      const tail = signature.take(5);
      if (raw === undefined || tail === undefined || !signature.isAtEnd()) return "malformed";
      if (((tail[0] ?? 0) & userPresent) === 0) return "bad";
      const signed = Buffer.concat([hashOf(application), tail, hashOf(message)]);
      return verifyRaw(key, signed, raw) ? "good" : "bad";
    },
  };
}

function importKey(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    // The library throws for points that are not on their curve.
    return undefined;
  }
}
