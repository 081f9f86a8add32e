import { privateKeyMagic, readSsh } from "../signing/ssh-wire.ts";

const armoured = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/u;

/** Whether a private key, in OpenSSH or PEM form, is encrypted: ssh would ask a person for the passphrase. */
export function hasPassphrase(identity: string): boolean {
  // Source: RFC 1421, section 4.6.1.1, and RFC 5958.
  if (/^Proc-Type: 4,ENCRYPTED|^-----BEGIN ENCRYPTED PRIVATE KEY-----/mu.test(identity)) return true;
  const bytes = Buffer.from(armoured.exec(identity)?.[1] ?? "", "base64");
  if (bytes.toString("latin1", 0, privateKeyMagic.length) !== privateKeyMagic) return false;
  // Source: OpenSSH, PROTOCOL.key: behind the magic is the name of the cipher.
  return readSsh(bytes.subarray(privateKeyMagic.length)).name() !== "none";
}
