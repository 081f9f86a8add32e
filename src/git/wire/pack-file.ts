import { createHash } from "node:crypto";
import { PieceDeflater } from "../objects/piece-deflater.ts";
import type { NewObject, ObjectFormat, ObjectType } from "../objects/git-object.ts";
import { protocolError } from "./pkt-line.ts";

/** The head of one object of a pack. Source: git, gitformat-pack(5). */
export interface PackEntry {
  /** Undefined for a delta, which has the type of what it builds on. */
  readonly type: ObjectType | undefined;
  /** Of its content, or of the delta. */
  readonly sizeBytes: number;
  /** Where the compressed data starts. */
  readonly dataStart: number;
  /** What this delta builds on: an object by the place where it starts, or by its id (20 characters of one byte each). */
  readonly base: { readonly start: number } | { readonly id: string } | undefined;
}

const typeCodes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const typesByCode: ReadonlyMap<number, ObjectType> = new Map([
  [1, "commit"],
  [2, "tree"],
  [3, "blob"],
  [4, "tag"],
]);
const offsetDelta = 6;
const referenceDelta = 7;
const idBytes = 20;
export const packHeaderBytes = 12;

/**
 * A pack of whole objects (no deltas), for a repository with ids of `format` (default sha1). `deflater`: one that has compressed
 * earlier versions of them. Source: git, gitformat-pack(5).
 */
export function buildPack(
  objects: readonly Omit<NewObject, "id">[],
  {
    format = "sha1",
    deflater = new PieceDeflater(),
  }: { readonly format?: ObjectFormat; readonly deflater?: PieceDeflater } = {},
): Buffer {
  const header = Buffer.alloc(packHeaderBytes);
  header.write("PACK", "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const entries = objects.flatMap(({ type, content }) => [
    entryHeader(typeCodes[type], content.byteLength),
    deflater.deflate(content),
  ]);
  const hash = createHash(format);
  const parts = [header, ...entries];
  for (const part of parts) hash.update(part);
  return Buffer.concat([...parts, hash.digest()]);
}

/** The head of the object that starts at `start` in a pack of SHA-1 ids. @throws E_GIT_PROTOCOL */
export function readPackEntry(pack: Buffer, start: number): PackEntry {
  let position = start;
  let byte = byteAt(pack, position++);
  const typeCode = (byte >> 4) & 0x07;
  let sizeBytes = byte & 0x0f;
  for (let factor = 16; (byte & 0x80) !== 0; factor *= 128) {
    byte = byteAt(pack, position++);
    sizeBytes += (byte & 0x7f) * factor;
  }
  if (typeCode === offsetDelta) {
    byte = byteAt(pack, position++);
    let distance = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = byteAt(pack, position++);
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    return { type: undefined, sizeBytes, dataStart: position, base: { start: start - distance } };
  }
  if (typeCode === referenceDelta) {
    const id = pack.toString("latin1", position, position + idBytes);
    return { type: undefined, sizeBytes, dataStart: position + idBytes, base: { id } };
  }
  const type = typesByCode.get(typeCode);
  if (type === undefined) throw protocolError(`the pack has an object of unknown type ${typeCode}`);
  return { type, sizeBytes, dataStart: position, base: undefined };
}

function entryHeader(typeCode: number, sizeBytes: number): Buffer {
  const bytes = [(typeCode << 4) | (sizeBytes & 0x0f)];
  for (let rest = Math.floor(sizeBytes / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 0x7f);
  }
  return Buffer.from(bytes);
}

function byteAt(bytes: Buffer, position: number): number {
  const byte = bytes[position];
  if (byte === undefined) throw protocolError("the pack is cut off");
  return byte;
}
