import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { deflateSync, inflateSync } from "node:zlib";
import { AppError } from "../../core/errors.ts";
import type { GitObject, ObjectFormat, ObjectType } from "../objects/git-object.ts";
import { protocolError } from "./pkt-line.ts";

export interface PackLimits {
  /** What one object may have when unpacked. Default 100 MiB. */
  readonly maximumObjectBytes?: number;
  /** What all of them may have together. Default 32 GiB. */
  readonly maximumTotalBytes?: number;
}

export interface PackSummary {
  /** The hash at its end, in hex. */
  readonly checksum: string;
  readonly objectCount: number;
}

interface PackEntry {
  readonly typeCode: number;
  readonly sizeBytes: number;
  /** Where the compressed data starts. */
  readonly dataStart: number;
}

const typeCodes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const offsetDelta = 6;
const referenceDelta = 7;
const headerBytes = 12;
const checksumBytes = 20;

/** A pack of whole objects (no deltas), for a repository with ids of `format` (default sha1). Source: git, gitformat-pack(5). */
export function buildPack(objects: readonly GitObject[], format: ObjectFormat = "sha1"): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write("PACK", "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const entries = objects.flatMap(({ type, content }) => [
    entryHeader(typeCodes[type], content.byteLength),
    deflateSync(content),
  ]);
  const body = Buffer.concat([header, ...entries]);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}

/**
 * Checks a pack of SHA-1 ids that came from outside before anything else looks at it: complete, unharmed, and no object so large when
 * unpacked that it would take the process down.
 * @throws E_GIT_PROTOCOL; E_UNSUPPORTED when it is too large
 */
export async function checkPack(pack: Buffer, limits: PackLimits = {}): Promise<PackSummary> {
  const { maximumObjectBytes = 100 * 1024 ** 2, maximumTotalBytes = 32 * 1024 ** 3 } = limits;
  const bodyEnd = pack.length - checksumBytes;
  if (bodyEnd < headerBytes || pack.toString("latin1", 0, 4) !== "PACK") throw protocolError("the pack is cut off");
  const checksum = pack.toString("hex", bodyEnd);
  const body = pack.subarray(0, bodyEnd);
  if (createHash("sha1").update(body).digest("hex") !== checksum) throw protocolError("the pack is damaged");
  const objectCount = pack.readUInt32BE(8);
  let position = headerBytes;
  let totalBytes = 0;
  for (let index = 0; index < objectCount; index++) {
    const entry = readEntry(body, position);
    if (entry.sizeBytes > maximumObjectBytes) throw tooLarge(entry.sizeBytes, maximumObjectBytes);
    const { content, compressedBytes } = inflate(body.subarray(entry.dataStart), entry.sizeBytes);
    const isDelta = entry.typeCode === offsetDelta || entry.typeCode === referenceDelta;
    const sizeBytes = isDelta ? deltaTargetSize(content) : entry.sizeBytes;
    totalBytes += sizeBytes;
    if (sizeBytes > maximumObjectBytes) throw tooLarge(sizeBytes, maximumObjectBytes);
    if (totalBytes > maximumTotalBytes) throw tooLarge(totalBytes, maximumTotalBytes);
    position = entry.dataStart + compressedBytes;
    // A large pack takes seconds: others get their turn.
    if (index % 2000 === 1999) await setImmediate();
  }
  if (position !== bodyEnd) throw protocolError("the pack has more than its objects");
  return { checksum, objectCount };
}

function entryHeader(typeCode: number, sizeBytes: number): Buffer {
  const bytes = [(typeCode << 4) | (sizeBytes & 0x0f)];
  for (let rest = Math.floor(sizeBytes / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 0x7f);
  }
  return Buffer.from(bytes);
}

function readEntry(pack: Buffer, start: number): PackEntry {
  let position = start;
  let byte = byteAt(pack, position++);
  const typeCode = (byte >> 4) & 0x07;
  let sizeBytes = byte & 0x0f;
  for (let factor = 16; (byte & 0x80) !== 0; factor *= 128) {
    byte = byteAt(pack, position++);
    sizeBytes += (byte & 0x7f) * factor;
  }
  if (typeCode === offsetDelta) {
    while ((byteAt(pack, position++) & 0x80) !== 0);
  } else if (typeCode === referenceDelta) {
    position += checksumBytes;
  } else if (typeCode < 1 || typeCode > 4) {
    throw protocolError(`the pack has an object of unknown type ${typeCode}`);
  }
  return { typeCode, sizeBytes, dataStart: position };
}

/** The size of what a delta makes: the second of the two numbers that it starts with. */
function deltaTargetSize(delta: Buffer): number {
  let position = 0;
  const readSize = (): number => {
    let size = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = byteAt(delta, position++);
      size += (byte & 0x7f) * factor;
      if ((byte & 0x80) === 0) return size;
    }
  };
  readSize();
  return readSize();
}

function inflate(compressed: Buffer, sizeBytes: number): { content: Buffer; compressedBytes: number } {
  try {
    // `info` makes node say how much of the input it used, which is the only way to find the next object.
    const chunkSize = Math.min(Math.max(sizeBytes, 64), 65_536);
    const options = { info: true, maxOutputLength: Math.max(sizeBytes, 1), chunkSize };
    const result: unknown = inflateSync(compressed, options);
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length === sizeBytes) return { content: buffer, compressedBytes: engine.bytesWritten };
  } catch (cause) {
    throw protocolError("the pack has an object that cannot be unpacked", cause);
  }
  throw protocolError("the pack has an object of another size than it says");
}

function byteAt(bytes: Buffer, position: number): number {
  const byte = bytes[position];
  if (byte === undefined) throw protocolError("the pack is cut off");
  return byte;
}

function tooLarge(sizeBytes: number, maximumBytes: number): Error {
  const text = `read a pack: it unpacks to ${sizeBytes} bytes where ${maximumBytes} are allowed; use the native back-end`;
  return new AppError("E_UNSUPPORTED", text, { data: { sizeBytes, maximumBytes } });
}
