import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { AppError } from "../../core/errors.ts";
import type { GitObject, ObjectFormat, ObjectType } from "../objects/git-object.ts";
import { inflateObject } from "./inflate-object.ts";
import { protocolError } from "./pkt-line.ts";

export interface PackLimits {
  /** What one object may have when unpacked. Default 32 MiB. */
  readonly maximumObjectBytes?: number;
  /**
   * What the pack may unpack to, without what deltas copy into objects of less than 8 MiB. Default 64 MiB and twenty times
   * the pack: text shrinks to a fifth, zeros to a thousandth.
   */
  readonly maximumInflatedBytes?: number;
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
  /** Where the object starts that this delta builds on, when it names it by its place. */
  readonly baseStart: number | undefined;
}

const typeCodes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const offsetDelta = 6;
const referenceDelta = 7;
const headerBytes = 12;
const checksumBytes = 20;
/** Objects that deltas make count as unpacked from this size on; a status branch has thousands of smaller ones. */
const largeTargetBytes = 8 * 1024 ** 2;
const bytesBetweenYields = 4 * 1024 ** 2;
/** What any object costs, as if it had so many bytes more. */
const objectCostBytes = 2048;

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
  const { maximumObjectBytes = 32 * 1024 ** 2, maximumTotalBytes = 32 * 1024 ** 3 } = limits;
  const { maximumInflatedBytes = 64 * 1024 ** 2 + 20 * pack.length } = limits;
  const bodyEnd = pack.length - checksumBytes;
  if (bodyEnd < headerBytes || pack.toString("latin1", 0, 4) !== "PACK") throw protocolError("the pack is cut off");
  const checksum = pack.toString("hex", bodyEnd);
  const body = pack.subarray(0, bodyEnd);
  if ((await sha1InSlices(body)) !== checksum) throw protocolError("the pack is damaged");
  const objectCount = pack.readUInt32BE(8);
  let position = headerBytes;
  let totalBytes = 0;
  let inflatedBytes = 0;
  let bytesSinceYield = 0;
  const starts = new Set<number>();
  for (let index = 0; index < objectCount; index++) {
    const entry = readEntry(body, position);
    // The library that resolves deltas reads the base at that place, and reads without an end when none starts there.
    if (entry.baseStart !== undefined && !starts.has(entry.baseStart))
      throw protocolError("the pack has a delta that builds on no earlier object of it");
    starts.add(position);
    if (entry.sizeBytes > maximumObjectBytes) throw tooLarge(entry.sizeBytes, maximumObjectBytes);
    inflatedBytes += entry.sizeBytes;
    // Known before it is unpacked.
    if (inflatedBytes > maximumInflatedBytes) throw tooLarge(inflatedBytes, maximumInflatedBytes);
    const { start, compressedBytes } = await inflateObject(body.subarray(entry.dataStart), entry.sizeBytes);
    const isDelta = entry.typeCode === offsetDelta || entry.typeCode === referenceDelta;
    const sizeBytes = isDelta ? deltaTargetSize(start) : entry.sizeBytes;
    totalBytes += sizeBytes;
    if (isDelta && sizeBytes >= largeTargetBytes) inflatedBytes += sizeBytes;
    if (sizeBytes > maximumObjectBytes) throw tooLarge(sizeBytes, maximumObjectBytes);
    if (totalBytes > maximumTotalBytes) throw tooLarge(totalBytes, maximumTotalBytes);
    if (inflatedBytes > maximumInflatedBytes) throw tooLarge(inflatedBytes, maximumInflatedBytes);
    position = entry.dataStart + compressedBytes;
    bytesSinceYield += entry.sizeBytes + objectCostBytes;
    // A large pack takes seconds: others get their turn.
    if (bytesSinceYield < bytesBetweenYields) continue;
    bytesSinceYield = 0;
    await setImmediate();
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
  let baseStart: number | undefined;
  if (typeCode === offsetDelta) {
    byte = byteAt(pack, position++);
    let distance = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = byteAt(pack, position++);
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    baseStart = start - distance;
  } else if (typeCode === referenceDelta) {
    position += checksumBytes;
  } else if (typeCode < 1 || typeCode > 4) {
    throw protocolError(`the pack has an object of unknown type ${typeCode}`);
  }
  return { typeCode, sizeBytes, dataStart: position, baseStart };
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

async function sha1InSlices(bytes: Buffer): Promise<string> {
  const hash = createHash("sha1");
  for (let position = 0; position < bytes.length; position += bytesBetweenYields) {
    hash.update(bytes.subarray(position, position + bytesBetweenYields));
    await setImmediate();
  }
  return hash.digest("hex");
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
