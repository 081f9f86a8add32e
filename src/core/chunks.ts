import { createHash } from "node:crypto";

/**
 * A content in parts, none of which ever changes. A next version shares the parts that are the same: of a list of a whole fleet,
 * neither is copied, nor is its memory asked for again.
 */
export class Chunks {
  readonly parts: readonly Uint8Array[];
  readonly byteLength: number;

  constructor(parts: readonly Uint8Array[]) {
    const filled: Uint8Array[] = [];
    let byteLength = 0;
    for (const part of parts) {
      if (part.byteLength > 0) filled.push(part);
      byteLength += part.byteLength;
    }
    this.parts = filled;
    this.byteLength = byteLength;
  }

  /** As UTF-8. */
  toString(): string {
    return Buffer.concat(this.parts).toString();
  }
}

/** A content as its parts, of which bytes have one. */
export function partsOf(content: Uint8Array | Chunks): readonly Uint8Array[] {
  return content instanceof Chunks ? content.parts : [content];
}

/** Lower-case hex SHA-256 of the whole content. */
export function digestOfChunks({ parts }: Chunks): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
