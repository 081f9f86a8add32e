import { generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { privateKeyMagic, readSsh, sshString } from "../git/signing/ssh-wire.ts";
import { AppError } from "../core/errors.ts";

const type = "ssh-ed25519";
const begin = "-----BEGIN OPENSSH PRIVATE KEY-----";
const end = "-----END OPENSSH PRIVATE KEY-----";

const armoured = /^-----BEGIN OPENSSH PRIVATE KEY-----\n([A-Za-z0-9+/=\n]+)-----END OPENSSH PRIVATE KEY-----$/u;

export interface DeployKeyPair {
  /** The private key without a passphrase, in the form that ssh reads. */
  readonly identity: string;
  /** `ssh-ed25519 AAAA...`, without a comment. */
  readonly publicKey: string;
}

/** A new Ed25519 key. `comment` is stored in the private part. */
export function makeDeployKey(comment: string): DeployKeyPair {
  const { privateKey } = generateKeyPairSync("ed25519");
  return {
    identity: encodePrivateKey(privateKey, comment),
    publicKey: `${type} ${publicBlob(privateKey).toString("base64")}`,
  };
}

/**
 * The public part of a private key as {@link makeDeployKey} or `ssh-keygen -t ed25519` writes it, without a passphrase.
 * @throws E_USAGE for any other text, which the message does not repeat
 */
export function publicKeyOf(identity: string, place: string): string {
  const [, base64 = ""] = armoured.exec(identity.trim()) ?? [];
  const bytes = Buffer.from(base64, "base64");
  const reader = readSsh(bytes.subarray(privateKeyMagic.length));
  const isPlain = bytes.toString("latin1", 0, privateKeyMagic.length) === privateKeyMagic && reader.name() === "none";
  reader.bytes(); // the name of the function that derives a key from a passphrase
  reader.bytes(); // and its options
  const count = reader.uint32();
  const blob = reader.bytes();
  if (!isPlain || count !== 1 || blob === undefined || readSsh(blob).name() !== type) {
    throw new AppError("E_USAGE", `read ${place}: it has no Ed25519 key in OpenSSH form without a passphrase`);
  }
  return `${type} ${blob.toString("base64")}`;
}

function publicBlob(privateKey: KeyObject): Buffer {
  return Buffer.concat([sshString(type), sshString(rawPart(privateKey, "x"))]);
}

/** Source: OpenSSH, PROTOCOL.key: header, public key, and a padded list of one private key. */
function encodePrivateKey(privateKey: KeyObject, comment: string): string {
  const [seed, point] = [rawPart(privateKey, "d"), rawPart(privateKey, "x")];
  // Two equal numbers show a reader that it decrypted well; without a passphrase any will do.
  const check = Buffer.alloc(8);
  const fields = [sshString(type), sshString(point), sshString(Buffer.concat([seed, point])), sshString(comment)];
  const list = Buffer.concat([check, ...fields]);
  const padding = Buffer.from(Array.from({ length: (8 - (list.length % 8)) % 8 }, (_, index) => index + 1));
  const one = Buffer.alloc(4);
  one.writeUInt32BE(1);
  const head = [Buffer.from(privateKeyMagic, "latin1"), sshString("none"), sshString("none"), sshString(""), one];
  const bytes = Buffer.concat([...head, sshString(publicBlob(privateKey)), sshString(Buffer.concat([list, padding]))]);
  return `${begin}\n${inLines(bytes.toString("base64"))}\n${end}\n`;
}

/** Lines of 70 characters, as ssh-keygen writes them. */
function inLines(text: string): string {
  const count = Math.ceil(text.length / 70);
  return Array.from({ length: count }, (_, index) => text.slice(index * 70, (index + 1) * 70)).join("\n");
}

function rawPart(key: KeyObject, part: "x" | "d"): Buffer {
  return Buffer.from(key.export({ format: "jwk" })[part] ?? "", "base64url");
}
