import { createHash } from "node:crypto";
import { decodeBase64, readSsh, sshString } from "./ssh-wire.ts";

/** The fields of an armoured SSH signature before any of them is verified. */
export interface SshSignature {
  /** The signer's public key. */
  readonly keyBlob: Buffer;
  /** What the signature is for; git uses `git`. */
  readonly namespace: string;
  readonly signatureBlob: Buffer;
  /** What was signed, for a message. */
  readonly signedData: (message: Uint8Array) => Buffer;
}

const begin = "-----BEGIN SSH SIGNATURE-----";
const end = "-----END SSH SIGNATURE-----";
const preamble = "SSHSIG";
const maximumArmour = 32_768;

/** Reads an armoured signature; undefined when it is none. Source: OpenSSH, PROTOCOL.sshsig. */
export function parseSshSignature(armoured: string): SshSignature | undefined {
  const text = armoured.trim();
  if (text.length > maximumArmour || !text.startsWith(`${begin}\n`) || !text.endsWith(`\n${end}`)) return undefined;
  const blob = decodeBase64(text.slice(begin.length, -end.length).replaceAll(/\r?\n/gu, ""));
  if (blob === undefined) return undefined;
  const reader = readSsh(blob);
  if (reader.take(preamble.length)?.toString("latin1") !== preamble || reader.uint32() !== 1) return undefined;
  const keyBlob = reader.bytes();
  const namespace = reader.bytes();
  const reserved = reader.bytes();
  const hash = reader.name();
  const signatureBlob = reader.bytes();
  if (keyBlob === undefined || namespace === undefined || reserved === undefined || signatureBlob === undefined) {
    return undefined;
  }
  if (!reader.isAtEnd() || (hash !== "sha256" && hash !== "sha512")) return undefined;
  return {
    keyBlob,
    namespace: namespace.toString("utf8"),
    signatureBlob,
    signedData: (message) =>
      Buffer.concat([
        Buffer.from(preamble, "latin1"),
        sshString(namespace),
        sshString(reserved),
        sshString(hash),
        sshString(createHash(hash).update(message).digest()),
      ]),
  };
}
