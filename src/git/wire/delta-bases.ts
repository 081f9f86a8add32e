import type { PackEntry } from "./pack-file.ts";
import type { PackedObject } from "./packed-object.ts";
import { protocolError } from "./pkt-line.ts";

/** Which object each delta builds on, wherever that is in the pack. */
export interface DeltaBases {
  /** What a delta builds on; its id while that is not known. */
  find(entry: PackEntry): PackedObject | string;
  /** The delta is ready when the object of this key is settled. */
  waitFor(delta: PackedObject, key: PackedObject | string): void;
  /** The object has its type, and its id unless it is left out. */
  settle(object: PackedObject, id: string | undefined): void;
  /** A delta whose base became known. */
  nextReady(): PackedObject | undefined;
  isAnyMissing(): boolean;
}

/** `objects`: those that were read, in the order of the pack. */
export function createDeltaBases(objects: readonly PackedObject[]): DeltaBases {
  /** Deltas by what they wait for: an object of the pack whose own base is not known yet, or an id. */
  const waiting = new Map<PackedObject | string, PackedObject[]>();
  const ready: PackedObject[] = [];
  /** Made for the first delta that names its base by its id. */
  let byId: Map<string, PackedObject> | undefined;

  const findById = (id: string): PackedObject | undefined => {
    byId ??= new Map(objects.flatMap((object) => (object.id === undefined ? [] : [[object.id, object]])));
    return byId.get(id);
  };

  return {
    find: ({ base }) => {
      if (base && "id" in base) return findById(base.id) ?? base.id;
      const found = base && findByStart(objects, base.start);
      if (!found) throw protocolError("the pack has a delta that builds on no earlier object of it");
      return found;
    },
    waitFor: (delta, key) => {
      const others = waiting.get(key);
      if (others) others.push(delta);
      else waiting.set(key, [delta]);
    },
    settle: (object, id) => {
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
    },
    nextReady: () => ready.pop(),
    isAnyMissing: () => waiting.size > 0,
  };
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
