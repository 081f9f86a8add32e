import { constants, deflateRawSync, deflateSync } from "node:zlib";
import { Chunks, partsOf } from "../../core/chunks.ts";
import { memoizeWeak } from "../../core/memoize-weak.ts";

/** Contents from this size on are compressed in pieces. */
const smallestBytes = 64 * 1024;
const pieceBytes = 16 * 1024;
/** Contents that are remembered, so that their next versions are compressed by what differs. */
const mostRemembered = 4;
/** All remembered contents together: those of a fleet of some 100,000 clusters. */
const mostRememberedBytes = 48 * 1024 * 1024;

/** Checksums and ids become hardly smaller by more. Source: git-config(1), core.looseCompression, whose default it is. */
const level = 1;
/** The header of a zlib stream of that level. Source: RFC 1950, section 2.2. */
const streamHeader = Buffer.from([0x78, 0x01]);
/** A last block without content, by fixed codes. Source: RFC 1951, section 3.2.3. */
const lastBlock = Buffer.from([0x03, 0x00]);

interface Piece {
  /** Blocks that refer to nothing before them, and end with a whole byte. */
  readonly blocks: Buffer;
  readonly checksum: number;
  /** Before it was compressed. */
  readonly sizeBytes: number;
}

interface Remembered {
  readonly content: Buffer;
  readonly pieces: readonly Piece[];
}

/**
 * Compresses objects as zlib streams. Of a large content most bytes are often where they were in a version before, as in a
 * list of all clusters: those pieces are not compressed again. Where a content has parts, they are its pieces. The bytes of a
 * stream depend on the content and its parts alone.
 */
export class PieceDeflater {
  #remembered: Remembered[] = [];
  #compressedBytes = 0;
  /** A part never changes: its piece lives as long as it does. */
  readonly #pieceOf = memoizeWeak((part: Uint8Array): Piece => {
    this.#compressedBytes += part.byteLength;
    return makePiece(part);
  });

  /** How many bytes were compressed so far, of all contents together. */
  get compressedBytes(): number {
    return this.#compressedBytes;
  }

  /** A zlib stream of `head` and `content`. */
  deflate(content: Uint8Array | Chunks, head: Uint8Array = new Uint8Array()): Buffer {
    if (content.byteLength < smallestBytes) {
      this.#compressedBytes += content.byteLength;
      return deflateSync(Buffer.concat([head, ...partsOf(content)]), { level });
    }
    const pieces = content instanceof Chunks ? content.parts.map((part) => this.#pieceOf(part)) : this.#cut(content);
    const all = head.byteLength === 0 ? pieces : [makePiece(head), ...pieces];
    const checksum = all.reduce((sum, piece) => joinChecksums(sum, piece.checksum, piece.sizeBytes), 1);
    const trailer = Buffer.alloc(4);
    trailer.writeUInt32BE(checksum);
    return Buffer.concat([streamHeader, ...all.map(({ blocks }) => blocks), lastBlock, trailer]);
  }

  /** Cuts bytes into pieces of one length. */
  #cut(bytes: Uint8Array): readonly Piece[] {
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const used = new Set<Remembered>();
    const pieces = pieceLengths(content.length).map((length, index) => {
      const start = index * pieceBytes;
      const cut = content.subarray(start, start + length);
      const known = this.#remembered.find((before) => before.content.subarray(start, start + length).equals(cut));
      if (known) used.add(known);
      const piece = known?.pieces[index];
      if (piece) return piece;
      this.#compressedBytes += length;
      return makePiece(cut);
    });
    this.#remember({ content, pieces }, used);
    return pieces;
  }

  /** The content replaces the versions that it shares pieces with. */
  #remember(newest: Remembered, before: ReadonlySet<Remembered>): void {
    const others = this.#remembered.filter((each) => !before.has(each)).slice(0, mostRemembered - 1);
    const kept: Remembered[] = [];
    let sizeBytes = 0;
    for (const each of [newest, ...others]) {
      sizeBytes += each.content.length;
      if (sizeBytes <= mostRememberedBytes) kept.push(each);
    }
    this.#remembered = kept;
  }
}

function makePiece(bytes: Uint8Array): Piece {
  const blocks = deflateRawSync(bytes, { level, finishFlush: constants.Z_FULL_FLUSH });
  return { blocks, checksum: checksumOf(bytes), sizeBytes: bytes.byteLength };
}

function pieceLengths(sizeBytes: number): number[] {
  const count = Math.ceil(sizeBytes / pieceBytes);
  return Array.from({ length: count }, (_, index) => Math.min(pieceBytes, sizeBytes - index * pieceBytes));
}

const checksumBase = 65_521;
/** So many bytes are summed up before the sums would leave the range of whole numbers of 32 bits. */
const bytesWithoutOverflow = 3800;

/** Adler-32. Source: RFC 1950, section 8.2. */
function checksumOf(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (let start = 0; start < bytes.length; start += bytesWithoutOverflow) {
    const end = Math.min(start + bytesWithoutOverflow, bytes.length);
    for (let index = start; index < end; index++) {
      low += bytes[index] ?? 0;
      high += low;
    }
    low %= checksumBase;
    high %= checksumBase;
  }
  return high * 65_536 + low;
}

/** The checksum of two contents, one after the other. `secondBytes`: the length of the second. */
function joinChecksums(first: number, second: number, secondBytes: number): number {
  const [firstLow, firstHigh] = [first % 65_536, Math.floor(first / 65_536)];
  const [secondLow, secondHigh] = [second % 65_536, Math.floor(second / 65_536)];
  const low = (firstLow + secondLow + checksumBase - 1) % checksumBase;
  const before = (secondBytes % checksumBase) * ((firstLow + checksumBase - 1) % checksumBase);
  const high = (before + firstHigh + secondHigh) % checksumBase;
  return high * 65_536 + low;
}
