import { createHash } from "node:crypto";
import { objectHeader } from "../objects/git-object.ts";
import type { ObjectType } from "../objects/git-object.ts";
import { applyDelta, deltaTargetSize } from "./apply-delta.ts";
import { makeContentCache } from "./content-cache.ts";
import { inflateObject } from "./inflate-object.ts";
import { packHeaderBytes, readPackEntry } from "./pack-file.ts";
import type { PackEntry } from "./pack-file.ts";
import { packTooLarge } from "./pack-limits.ts";
import type { PackBudget } from "./pack-limits.ts";
import { protocolError } from "./pkt-line.ts";
import type { Turns } from "./take-turns.ts";

/** An object of a pack. A large pack has a million: its content is not held. */
export interface PackedObject {
  readonly start: number;
  /** Where the next one starts. */
  end: number;
  /** Undefined until what it builds on is known. */
  type: ObjectType | undefined;
  /** Its SHA-1 as 20 characters of one byte each; undefined of a large delta that is left out. */
  id: string | undefined;
  contentBytes: number;
  /** What this delta builds on. */
  base: PackedObject | undefined;
  /** A blob that is too large to be unpacked in memory, or builds on one that is. */
  isLeftOut: boolean;
}

const cachedBytes = 64 * 1024 ** 2;
const hashedAtOnceBytes = 1024 ** 2;

/**
 * All objects of a pack (without the checksum at its end) in their order, with their ids: each is unpacked once, in
 * slices when it is large, and each delta is applied to its base, wherever that stands in the pack.
 * @throws E_GIT_PROTOCOL; E_UNSUPPORTED when it is too large
 */
export async function readPackObjects(body: Buffer, budget: PackBudget, turns: Turns): Promise<PackedObject[]> {
  const objects: PackedObject[] = [];
  const cache = makeContentCache<PackedObject>(cachedBytes);
  /** Deltas by what they wait for: an object of the pack whose own base is not known yet, or an id. */
  const waiting = new Map<PackedObject | string, PackedObject[]>();
  const ready: PackedObject[] = [];
  /** Made for the first delta that names its base by its id. */
  let byId: Map<string, PackedObject> | undefined;

  const settle = (object: PackedObject, id: string | undefined): void => {
    object.id = id;
    if (id !== undefined) byId?.set(id, object);
    for (const key of [object, id]) {
      if (key === undefined) continue;
      for (const delta of waiting.get(key) ?? []) {
        delta.base = object;
        ready.push(delta);
      }
      waiting.delete(key);
    }
  };
  const waitFor = (object: PackedObject, key: PackedObject | string): void => {
    const others = waiting.get(key);
    if (others) others.push(object);
    else waiting.set(key, [object]);
  };
  const findById = (id: string): PackedObject | undefined => {
    byId ??= new Map(objects.flatMap((object) => (object.id === undefined ? [] : [[object.id, object]])));
    return byId.get(id);
  };

  const inflate = async (object: PackedObject, onPiece: (piece: Buffer) => void): Promise<void> => {
    const { sizeBytes, dataStart } = readPackEntry(body, object.start);
    object.end = dataStart + (await inflateObject(body.subarray(dataStart), sizeBytes, { onPiece, turns }));
  };
  /** The content of an object or a delta as the pack has it. */
  const unpack = async (object: PackedObject): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    await inflate(object, (piece) => pieces.push(piece));
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  };

  const makeContent = async (base: Buffer, delta: Buffer): Promise<Buffer> => {
    budget.make(deltaTargetSize(delta));
    return applyDelta(base, delta, turns);
  };

  const contentOf = async (object: PackedObject): Promise<Buffer> => {
    const deltas: PackedObject[] = [];
    let current = object;
    let content = cache.get(current);
    while (content === undefined && current.base !== undefined) {
      deltas.push(current);
      current = current.base;
      content = cache.get(current);
    }
    if (content === undefined) {
      budget.make(current.contentBytes);
      content = await unpack(current);
      cache.set(current, content);
    }
    for (const delta of deltas.reverse()) {
      await turns.pass();
      content = await makeContent(content, await unpack(delta));
      cache.set(delta, content);
    }
    return content;
  };

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
      settle(object, undefined);
      return;
    }
    const content = await makeContent(await contentOf(base), delta);
    object.contentBytes = sizeBytes;
    cache.set(object, content);
    settle(object, await idOf(base.type ?? "blob", content, turns));
  };

  const readWhole = async (object: PackedObject, type: ObjectType, sizeBytes: number): Promise<void> => {
    object.type = type;
    object.contentBytes = sizeBytes;
    if (sizeBytes > budget.maximumObjectBytes) {
      leaveOut(object, sizeBytes);
      const hash = createHash("sha1").update(objectHeader(type, sizeBytes));
      await inflate(object, (piece) => hash.update(piece));
      settle(object, hash.digest("binary"));
      return;
    }
    const content = await unpack(object);
    cache.set(object, content);
    settle(object, await idOf(type, content, turns));
  };

  /** What a delta builds on; its id while that is not known. */
  const findBase = ({ base }: PackEntry): PackedObject | string => {
    if (base && "id" in base) return findById(base.id) ?? base.id;
    const found = base && findByStart(objects, base.start);
    if (!found) throw protocolError("the pack has a delta that builds on no earlier object of it");
    return found;
  };

  const readNext = async (start: number): Promise<PackedObject> => {
    const entry = readPackEntry(body, start);
    const object = emptyObject(start);
    budget.inflate(entry.sizeBytes);
    if (entry.type !== undefined) {
      await readWhole(object, entry.type, entry.sizeBytes);
      return object;
    }
    const isTooLarge = entry.sizeBytes > budget.maximumObjectBytes;
    if (isTooLarge) await inflate(object, () => undefined);
    object.contentBytes = entry.sizeBytes;
    const delta = isTooLarge ? undefined : await unpack(object);
    const base = findBase(entry);
    if (typeof base === "string" || base.type === undefined) waitFor(object, base);
    else await resolve(object, base, delta);
    return object;
  };

  const objectCount = body.readUInt32BE(8);
  let position = packHeaderBytes;
  for (let index = 0; index < objectCount; index++) {
    await turns.pass();
    const object = await readNext(position);
    objects.push(object);
    position = object.end;
    for (let next = ready.pop(); next; next = ready.pop()) {
      await turns.pass();
      const { sizeBytes } = readPackEntry(body, next.start);
      const delta = sizeBytes > budget.maximumObjectBytes ? undefined : await unpack(next);
      if (next.base) await resolve(next, next.base, delta);
    }
  }
  if (position !== body.length) throw protocolError("the pack has more than its objects");
  if (waiting.size > 0) throw protocolError("the pack misses objects that its deltas build on");
  return objects;
}

function emptyObject(start: number): PackedObject {
  return { start, end: start, type: undefined, id: undefined, contentBytes: 0, base: undefined, isLeftOut: false };
}

/** `objects` are sorted by where they start. */
function findByStart(objects: readonly PackedObject[], start: number): PackedObject | undefined {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((objects[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  const found = objects[low];
  return found?.start === start ? found : undefined;
}

async function idOf(type: ObjectType, content: Buffer, turns: Turns): Promise<string> {
  const hash = createHash("sha1").update(objectHeader(type, content.length));
  for (let position = 0; position < content.length; position += hashedAtOnceBytes) {
    if (position > 0) await turns.pass();
    hash.update(content.subarray(position, position + hashedAtOnceBytes));
  }
  return hash.digest("binary");
}
