/** How a private key in OpenSSH form begins. Source: OpenSSH, PROTOCOL.key. */
export const privateKeyMagic = "openssh-key-v1\0";

/** Reads the fields of a binary structure of SSH, in order. Every method answers undefined past the end. */
export interface SshReader {
  /** A `string` of RFC 4251, section 5. */
  bytes(): Buffer | undefined;
  /** A `string` of ASCII letters, digits and marks; undefined for anything else. */
  name(): string | undefined;
  uint32(): number | undefined;
  /** Exactly `count` bytes without a length before them. */
  take(count: number): Buffer | undefined;
  /** True when nothing is left: what follows a signature would not be signed. */
  isAtEnd(): boolean;
}

export function readSsh(content: Uint8Array): SshReader {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let position = 0;
  const take = (count: number): Buffer | undefined => {
    if (count > buffer.length - position) return undefined;
    position += count;
    return buffer.subarray(position - count, position);
  };
  const uint32 = () => take(4)?.readUInt32BE(0);
  const bytes = () => {
    const length = uint32();
    return length === undefined ? undefined : take(length);
  };
  return {
    bytes,
    uint32,
    take,
    name() {
      const text = bytes();
      if (text === undefined || !text.every((byte) => byte > 0x20 && byte < 0x7f)) return undefined;
      return text.toString("latin1");
    },
    isAtEnd: () => position === buffer.length,
  };
}

/** A `string` of RFC 4251: its length and its bytes. */
export function sshString(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The bytes of strict base64 (no other characters, padded, no bits left over), or undefined. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
