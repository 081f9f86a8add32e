/** Bytes that arrive in pieces. */
export interface ByteCollector {
  /** Copies `piece`. */
  add(piece: Uint8Array): void;
  readonly sizeBytes: number;
  /** All of it, in its order; the collector is empty afterwards. */
  take(): Buffer;
}

const firstBlockBytes = 1024;
const largestBlockBytes = 64 * 1024;

/**
 * Collects bytes that another program sends. A million pieces of one byte hold about a million bytes: each piece kept as a
 * buffer of its own would hold some 400 bytes.
 */
export function collectBytes(): ByteCollector {
  let full: Buffer[] = [];
  let block: Buffer = Buffer.alloc(0);
  let usedBytes = 0;
  let sizeBytes = 0;
  const nextBlock = (leastBytes: number): void => {
    if (usedBytes > 0) full.push(block.subarray(0, usedBytes));
    const growing = Math.min(largestBlockBytes, Math.max(firstBlockBytes, sizeBytes));
    block = Buffer.allocUnsafeSlow(Math.max(leastBytes, growing));
    usedBytes = 0;
  };
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    add: (piece) => {
      const fitting = Math.min(piece.length, block.length - usedBytes);
      block.set(piece.subarray(0, fitting), usedBytes);
      usedBytes += fitting;
      sizeBytes += piece.length;
      if (fitting === piece.length) return;
      const rest = piece.subarray(fitting);
      nextBlock(rest.length);
      block.set(rest);
      usedBytes = rest.length;
    },
    take: () => {
      const last = block.subarray(0, usedBytes);
      const all = full.length === 0 ? last : Buffer.concat([...full, last]);
      full = [];
      block = Buffer.alloc(0);
      usedBytes = 0;
      sizeBytes = 0;
      return all;
    },
  };
}

/** The same bytes in pieces of at least `leastBytes`, the last one excepted. */
export async function* inLargerPieces(
  pieces: AsyncIterable<Uint8Array>,
  leastBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const collected = collectBytes();
  for await (const piece of pieces) {
    if (collected.sizeBytes === 0 && piece.length >= leastBytes) {
      yield piece;
      continue;
    }
    collected.add(piece);
    if (collected.sizeBytes >= leastBytes) yield collected.take();
  }
  if (collected.sizeBytes > 0) yield collected.take();
}
