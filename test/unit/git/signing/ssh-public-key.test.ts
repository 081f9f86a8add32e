import { generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseSshPublicKey } from "../../../../src/git/signing/ssh-public-key.ts";
import type { SshPublicKey } from "../../../../src/git/signing/ssh-public-key.ts";
import { readSsh, sshString } from "../../../../src/git/signing/ssh-wire.ts";
import { parseSshSignature } from "../../../../src/git/signing/ssh-signature.ts";
import { parseCommitSignature } from "../../../../src/git/objects/commit-format.ts";
import type { CommitSignature } from "../../../../src/git/git.ts";
import { goldenCommit, securityKeySigner } from "../../signatures/signature-builders.ts";

interface Signed {
  readonly keyBlob: Buffer;
  readonly signatureBlob: Buffer;
  readonly message: Buffer;
}

function signedBy(signature: CommitSignature | undefined): Signed {
  const parsed = signature && parseSshSignature(signature.armoured);
  if (signature === undefined || parsed === undefined) throw new Error("no signature");
  const { keyBlob, signatureBlob, signedData } = parsed;
  return { keyBlob, signatureBlob, message: signedData(signature.payload) };
}

function signedAs(kind: string): Signed {
  if (kind === "a security key, Ed25519") return signedBy(securityKeySigner("ed25519").sign());
  if (kind === "a security key, ECDSA") return signedBy(securityKeySigner("ecdsa").sign());
  return signedBy(parseCommitSignature("golden", goldenCommit(kind).raw));
}

function keyIn(blob: Uint8Array): SshPublicKey {
  const parsed = parseSshPublicKey(blob);
  if (parsed.kind === "refused") throw new Error(parsed.message);
  return parsed.key;
}

/** All shorter beginnings, and the whole with a byte behind it. */
function damaged(whole: Buffer): Buffer[] {
  const shorter = Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length));
  return [...shorter, Buffer.concat([whole, Buffer.alloc(1)])];
}

describe.each([
  "ed25519",
  "ecdsa256",
  "ecdsa384",
  "ecdsa521",
  "rsa3072",
  "a security key, Ed25519",
  "a security key, ECDSA",
])("a key of SSH (%s)", (kind) => {
  const { keyBlob, signatureBlob, message } = signedAs(kind);

  it("accepts its own signature", () => {
    expect(keyIn(keyBlob).verify(message, signatureBlob)).toBe("good");
  });

  it("is refused when it is cut off anywhere, or something is behind it", () => {
    for (const blob of damaged(keyBlob)) {
      expect(parseSshPublicKey(blob)).toMatchObject({ kind: "refused", reason: "malformed" });
    }
  });

  it("A47 accepts no signature that is cut off anywhere, or has something behind it", () => {
    const key = keyIn(keyBlob);
    const nameBytes = sshString(readSsh(signatureBlob).name() ?? "").length;
    for (const blob of damaged(signatureBlob)) {
      expect(key.verify(message, blob)).toBe(blob.length < nameBytes ? "unsupported" : "malformed");
    }
  });

  it("A47 accepts no signature under the name of another algorithm", () => {
    const rest = signatureBlob.subarray(sshString(readSsh(signatureBlob).name() ?? "").length);
    for (const name of ["ssh-rsa", "ssh-dss", "none"]) {
      expect(keyIn(keyBlob).verify(message, Buffer.concat([sshString(name), rest]))).toBe("unsupported");
    }
  });
});

describe("an ECDSA key", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const point = [Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  const type = "ecdsa-sha2-nistp256";
  const blobOf = (curve: string, parts: readonly Buffer[]): Buffer =>
    Buffer.concat([sshString(type), sshString(curve), sshString(Buffer.concat(parts))]);
  const key = keyIn(blobOf("nistp256", point));
  const message = Buffer.from("message");
  const numbers = halvesOf(message, privateKey);
  const verify = (...parts: readonly Buffer[]) =>
    key.verify(message, Buffer.concat([sshString(type), sshString(Buffer.concat(parts))]));
  const positive = (number: Buffer): Buffer => Buffer.concat([Buffer.alloc(1), number]);

  it.each([
    { reason: "under the name of another curve", blob: blobOf("nistp384", point) },
    {
      reason: "whose point is not written out in full",
      blob: blobOf("nistp256", [Buffer.from([2]), ...point.slice(1)]),
    },
    { reason: "whose point is too long", blob: blobOf("nistp256", [...point, Buffer.alloc(1)]) },
    { reason: "whose point is too short", blob: blobOf("nistp256", [Buffer.concat(point).subarray(0, -1)]) },
  ])("is refused $reason", ({ blob }) => {
    expect(parseSshPublicKey(blob)).toMatchObject({ kind: "refused", reason: "malformed" });
  });

  it("takes the two numbers of a signature, and nothing else in their place", () => {
    const [r, s] = numbers;
    const both = [sshString(positive(r)), sshString(positive(s))];
    expect(verify(...both)).toBe("good");
    for (const part of damaged(Buffer.concat(both))) expect(verify(part)).toBe("bad");
  });

  it("A47 takes no negative number, and none with more digits than the curve has", () => {
    const [r, s] = numbers;
    expect(verify(sshString(r), sshString(positive(s)))).toBe("bad");
    expect(verify(sshString(positive(r)), sshString(s))).toBe("bad");
    const long = sshString(Buffer.concat([Buffer.from([1]), r]));
    expect(verify(long, sshString(positive(s)))).toBe("bad");
    expect(verify(sshString(positive(r)), long)).toBe("bad");
    expect(verify(sshString(""), sshString(positive(s)))).toBe("bad");
  });
});

/** The two numbers of a signature, each with its highest bit set. */
function halvesOf(message: Buffer, key: KeyObject): readonly [Buffer, Buffer] {
  for (;;) {
    const both = sign("sha256", message, { key, dsaEncoding: "ieee-p1363" });
    if (both.readUInt8(0) > 127 && both.readUInt8(32) > 127) return [both.subarray(0, 32), both.subarray(32)];
  }
}

describe("an RSA key", () => {
  const blobOf = (exponent: readonly number[], modulusBytes: number, first = 0xff): Buffer => {
    const modulus = Buffer.concat([Buffer.from([0, first]), Buffer.alloc(modulusBytes - 1, 0xff)]);
    return Buffer.concat([sshString("ssh-rsa"), sshString(Buffer.from(exponent)), sshString(modulus)]);
  };

  it.each([
    { reason: "an exponent of 3", blob: blobOf([3], 256) },
    { reason: "exactly 2048 bits", blob: blobOf([1, 0, 1], 256, 0x80) },
    { reason: "exactly 16,384 bits", blob: blobOf([1, 0, 1], 2048) },
    { reason: "an exponent of 8 bytes", blob: blobOf([1, 0, 0, 0, 0, 0, 0, 1], 256) },
  ])("is accepted with $reason", ({ blob }) => {
    expect(keyIn(blob).type).toBe("ssh-rsa");
  });

  it.each([
    { reason: "an exponent of 9 bytes", blob: blobOf([1, 0, 0, 0, 0, 0, 0, 0, 1], 256), expected: "weak" },
    { reason: "16,385 bits", blob: blobOf([1, 0, 1], 2049, 1), expected: "unsupported" },
    { reason: "no exponent", blob: blobOf([], 256), expected: "malformed" },
    { reason: "an exponent of 0", blob: blobOf([0], 256), expected: "malformed" },
    { reason: "an even exponent of three bytes", blob: blobOf([1, 0, 2], 256), expected: "weak" },
  ])("is refused with $reason", ({ blob, expected }) => {
    expect(parseSshPublicKey(blob)).toMatchObject({ kind: "refused", reason: expected });
  });

  it("A47 checks the hash that the algorithm of a signature names, and never SHA-1", () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwk = publicKey.export({ format: "jwk" });
    const [e, n] = [jwk.e ?? "", jwk.n ?? ""].map((text) => Buffer.from(text, "base64url"));
    const modulus = Buffer.concat([Buffer.alloc(1), n ?? Buffer.alloc(0)]);
    const key = keyIn(Buffer.concat([sshString("ssh-rsa"), sshString(e ?? ""), sshString(modulus)]));
    const message = Buffer.from("message");
    const verify = (name: string, hash: string, before = Buffer.alloc(0)) =>
      key.verify(
        message,
        Buffer.concat([sshString(name), sshString(Buffer.concat([before, sign(hash, message, privateKey)]))]),
      );
    expect([verify("rsa-sha2-256", "sha256"), verify("rsa-sha2-512", "sha512")]).toEqual(["good", "good"]);
    expect([verify("rsa-sha2-256", "sha512"), verify("rsa-sha2-512", "sha256")]).toEqual(["bad", "bad"]);
    expect([verify("ssh-rsa", "sha1"), verify("rsa-sha2-256", "sha1")]).toEqual(["unsupported", "bad"]);
    expect(verify("rsa-sha2-256", "sha256", Buffer.alloc(1))).toBe("malformed");
  });
});
