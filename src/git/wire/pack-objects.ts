import { createHash } from "node:crypto";
import { objectHeader } from "../objects/git-object.ts";
import type { ObjectType } from "../objects/git-object.ts";
import { deltaTargetSize } from "./apply-delta.ts";
import { createDeltaBases } from "./delta-bases.ts";
import type { DeltaBases } from "./delta-bases.ts";
import { createPackContents } from "./pack-contents.ts";
import type { PackContents } from "./pack-contents.ts";
import { packHeaderBytes, readPackEntry } from "./pack-file.ts";
import type { PackEntry } from "./pack-file.ts";
import { packTooLarge } from "./pack-limits.ts";
import type { PackBudget } from "./pack-limits.ts";
import { emptyObject } from "./packed-object.ts";
import type { PackedObject } from "./packed-object.ts";
import { protocolError } from "./pkt-line.ts";
import type { Turns } from "./take-turns.ts";

const hashedAtOnceBytes = 1024 ** 2;

/**
 * All objects of a pack (without the checksum at its end) in their order, with their ids: each is unpacked once, in
 * slices when it is large, and each delta is applied to its base, wherever that is in the pack.
 * @throws E_GIT_PROTOCOL; E_UNSUPPORTED when it is too large
 */
export async function readPackObjects(body: Buffer, budget: PackBudget, turns: Turns): Promise<PackedObject[]> {
  const objects: PackedObject[] = [];
  const bases = createDeltaBases(objects);
  const reader = createObjectReader({ contents: createPackContents(body, budget, turns), bases, budget, turns });
  const objectCount = body.readUInt32BE(8);
  let position = packHeaderBytes;
  for (let index = 0; index < objectCount; index++) {
    await turns.pass();
    const entry = readPackEntry(body, position);
    const object = emptyObject(position);
    await reader.read(object, entry);
    objects.push(object);
    position = object.end;
    for (let next = bases.nextReady(); next; next = bases.nextReady()) {
      await turns.pass();
      await reader.readDelta(next, readPackEntry(body, next.start));
    }
  }
  if (position !== body.length) throw protocolError("the pack has more than its objects");
  if (bases.isAnyMissing()) throw protocolError("the pack misses objects that its deltas build on");
  return objects;
}

/** Reads one object: its type, size and id. */
interface PackObjectReader {
  /** Reads what is at `object.start`; a delta whose base is not known waits for it. */
  read(object: PackedObject, entry: PackEntry): Promise<void>;
  /** Reads a delta again, whose base has become known. */
  readDelta(delta: PackedObject, entry: PackEntry): Promise<void>;
}

function createObjectReader({
  contents,
  bases,
  budget,
  turns,
}: {
  readonly contents: PackContents;
  readonly bases: DeltaBases;
  readonly budget: PackBudget;
  readonly turns: Turns;
}): PackObjectReader {
  const leaveOut = (object: PackedObject, sizeBytes: number): void => {
    if (object.type !== "blob") throw packTooLarge(sizeBytes, budget.maximumObjectBytes);
    object.isLeftOut = true;
    object.contentBytes = sizeBytes;
  };
  /** A delta whose base is known; `delta` is undefined when it is itself too large. */
  const resolve = async (object: PackedObject, base: PackedObject, delta: Buffer | undefined): Promise<void> => {
    object.base = base;
    object.type = base.type;
    const sizeBytes = delta ? deltaTargetSize(delta) : object.contentBytes;
    if (!delta || base.isLeftOut || sizeBytes > budget.maximumObjectBytes) {
      leaveOut(object, sizeBytes);
      bases.settle(object, undefined);
      return;
    }
    const content = await contents.applyDelta(await contents.of(base), delta);
    object.contentBytes = sizeBytes;
    contents.keep(object, content);
    bases.settle(object, await idOf(base.type ?? "blob", content, turns));
  };
  const readWhole = async (object: PackedObject, type: ObjectType, sizeBytes: number): Promise<void> => {
    object.type = type;
    object.contentBytes = sizeBytes;
    if (sizeBytes > budget.maximumObjectBytes) {
      leaveOut(object, sizeBytes);
      const hash = createHash("sha1").update(objectHeader(type, sizeBytes));
      await contents.inflate(object, (piece) => hash.update(piece));
      bases.settle(object, hash.digest("binary"));
      return;
    }
    const content = await contents.unpack(object);
    contents.keep(object, content);
    bases.settle(object, await idOf(type, content, turns));
  };

  return {
    read: async (object, entry) => {
      budget.inflate(entry.sizeBytes);
      if (entry.type !== undefined) return readWhole(object, entry.type, entry.sizeBytes);
      const isTooLarge = entry.sizeBytes > budget.maximumObjectBytes;
      if (isTooLarge) await contents.inflate(object, () => undefined);
      object.contentBytes = entry.sizeBytes;
      const delta = isTooLarge ? undefined : await contents.unpack(object);
      const base = bases.find(entry);
      if (typeof base === "string" || base.type === undefined) bases.waitFor(object, base);
      else await resolve(object, base, delta);
    },
    readDelta: async (object, { sizeBytes }) => {
      const delta = sizeBytes > budget.maximumObjectBytes ? undefined : await contents.unpack(object);
      if (object.base) await resolve(object, object.base, delta);
    },
  };
}

async function idOf(type: ObjectType, content: Buffer, turns: Turns): Promise<string> {
  const hash = createHash("sha1").update(objectHeader(type, content.length));
  for (let position = 0; position < content.length; position += hashedAtOnceBytes) {
    if (position > 0) await turns.pass();
    hash.update(content.subarray(position, position + hashedAtOnceBytes));
  }
  return hash.digest("binary");
}
