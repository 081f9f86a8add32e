import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AllowedSigner } from "../../../src/git/signing/allowed-signers.ts";
import { parseAllowedSigners } from "../../../src/git/signing/allowed-signers.ts";
import type { CommitSignature } from "../../../src/git/git.ts";
import { sshString } from "../../../src/git/signing/ssh-wire.ts";

export interface GoldenCommit {
  readonly name: string;
  /** A line of a `.pub` file. */
  readonly publicKey: string;
  /** The commit object's content, in base64. Made by `git commit-tree -S` with OpenSSH 9.2. */
  readonly commit: string;
}

export const goldenCommits = JSON.parse(
  readFileSync(join(import.meta.dirname, "golden/signed-commits.json"), "utf8"),
) as GoldenCommit[];

export function goldenCommit(name: string): { raw: Buffer; publicKey: string } {
  const found = goldenCommits.find((golden) => golden.name === name);
  if (found === undefined) throw new Error(`no golden commit ${name}`);
  return { raw: Buffer.from(found.commit, "base64"), publicKey: found.publicKey };
}

/** The signers of a list that has no problems. */
export function signersOf(text: string): readonly AllowedSigner[] {
  const { signers, problems } = parseAllowedSigners(text);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return signers;
}

export const payload = Buffer.from("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nmessage\n");

/** A signer whose every byte a test may choose. */
export interface HandMadeSigner {
  readonly line: string;
  readonly sign: (options?: SignOptions) => CommitSignature;
}

export interface SignOptions {
  /** What is signed. Default: the payload above. */
  readonly payload?: Buffer;
  readonly namespace?: string;
  readonly hash?: string;
  readonly algorithm?: string;
  readonly version?: number;
  readonly flags?: number;
  readonly behindSignature?: Buffer;
  readonly behindAll?: Buffer;
}

export function ed25519Signer(): HandMadeSigner {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const blob = Buffer.concat([sshString("ssh-ed25519"), sshString(rawPoint(publicKey))]);
  return {
    line: `alice@example.org ssh-ed25519 ${blob.toString("base64")}`,
    sign: (options = {}) =>
      armour(blob, options, (data) =>
        Buffer.concat([
          sshString(options.algorithm ?? "ssh-ed25519"),
          sshString(sign(null, data, privateKey)),
          options.behindSignature ?? Buffer.alloc(0),
        ]),
      ),
  };
}

/** As a security key signs. Source: OpenSSH, PROTOCOL.u2f. */
export function securityKeySigner(kind: "ed25519" | "ecdsa"): HandMadeSigner {
  const type = kind === "ed25519" ? "sk-ssh-ed25519@openssh.com" : "sk-ecdsa-sha2-nistp256@openssh.com";
  const { privateKey, publicKey } =
    kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const application = "ssh:";
  const curve = kind === "ed25519" ? [] : [sshString("nistp256")];
  const blob = Buffer.concat([sshString(type), ...curve, sshString(rawPoint(publicKey)), sshString(application)]);
  const hashOf = (content: string | Uint8Array) => createHash("sha256").update(content).digest();
  return {
    line: `alice@example.org ${type} ${blob.toString("base64")}`,
    sign: (options = {}) =>
      armour(blob, options, (data) => {
        const tail = Buffer.from([options.flags ?? 1, 0, 0, 0, 7]);
        const signed = Buffer.concat([hashOf(application), tail, hashOf(data)]);
        return Buffer.concat([sshString(type), sshString(rawSignature(kind, signed, privateKey)), tail]);
      }),
  };
}

function rawSignature(kind: "ed25519" | "ecdsa", signed: Buffer, key: KeyObject): Buffer {
  if (kind === "ed25519") return sign(null, signed, key);
  const both = sign("sha256", signed, { key, dsaEncoding: "ieee-p1363" });
  // A leading bit would make the numbers negative.
  const mpint = (half: Buffer) => sshString((half[0] ?? 0) > 127 ? Buffer.concat([Buffer.alloc(1), half]) : half);
  return Buffer.concat([mpint(both.subarray(0, 32)), mpint(both.subarray(32))]);
}

function rawPoint(key: KeyObject): Buffer {
  const { x = "", y } = key.export({ format: "jwk" });
  const decode = (text: string) => Buffer.from(text, "base64url");
  return y === undefined ? decode(x) : Buffer.concat([Buffer.from([4]), decode(x), decode(y)]);
}

function armour(keyBlob: Buffer, options: SignOptions, makeBlob: (data: Buffer) => Buffer): CommitSignature {
  const { namespace = "git", hash = "sha512", version = 1, behindAll = Buffer.alloc(0) } = options;
  const digest = createHash(hash === "sha256" ? "sha256" : "sha512")
    .update(options.payload ?? payload)
    .digest();
  const data = Buffer.concat([Buffer.from("SSHSIG"), ...[namespace, "", hash, digest].map((part) => sshString(part))]);
  const blob = Buffer.concat([
    Buffer.from("SSHSIG"),
    Buffer.from([0, 0, 0, version]),
    ...[keyBlob, namespace, "", hash, makeBlob(data)].map((part) => sshString(part)),
    behindAll,
  ]);
  const lines = blob.toString("base64").match(/.{1,70}/gu) ?? [];
  return {
    payload: options.payload ?? payload,
    armoured: ["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----"].join("\n"),
  };
}
