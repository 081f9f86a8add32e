import { applyDelta, deltaTargetSize } from "./apply-delta.ts";
import { makeContentCache } from "./content-cache.ts";
import { inflateObject } from "./inflate-object.ts";
import { readPackEntry } from "./pack-file.ts";
import type { PackBudget } from "./pack-limits.ts";
import type { PackedObject } from "./packed-object.ts";
import type { Turns } from "./take-turns.ts";

const cachedBytes = 64 * 1024 ** 2;

/** Contents of objects, unpacked again when the cache has dropped them. */
export interface PackContents {
  /** Unpacks piece by piece, and finds where the object ends. */
  inflate(object: PackedObject, onPiece: (piece: Buffer) => void): Promise<void>;
  /** The content of an object or a delta as the pack has it. */
  unpack(object: PackedObject): Promise<Buffer>;
  /** The content of an object that is settled. */
  of(object: PackedObject): Promise<Buffer>;
  applyDelta(base: Buffer, delta: Buffer): Promise<Buffer>;
  keep(object: PackedObject, content: Buffer): void;
}

/** `body`: a pack without the checksum at its end. @throws E_GIT_PROTOCOL, E_UNSUPPORTED */
export function createPackContents(body: Buffer, budget: PackBudget, turns: Turns): PackContents {
  const cache = makeContentCache<PackedObject>(cachedBytes);

  const inflate = async (object: PackedObject, onPiece: (piece: Buffer) => void): Promise<void> => {
    const { sizeBytes, dataStart } = readPackEntry(body, object.start);
    object.end = dataStart + (await inflateObject(body.subarray(dataStart), sizeBytes, { onPiece, turns }));
  };
  const unpack = async (object: PackedObject): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    await inflate(object, (piece) => pieces.push(piece));
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  };
  const makeContent = async (base: Buffer, delta: Buffer): Promise<Buffer> => {
    budget.make(deltaTargetSize(delta));
    return applyDelta(base, delta, turns);
  };

  return {
    inflate,
    unpack,
    applyDelta: makeContent,
    keep: (object, content) => cache.set(object, content),
    of: async (object) => {
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
    },
  };
}
