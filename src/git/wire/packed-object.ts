import type { ObjectType } from "../objects/git-object.ts";

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

/** An object that starts there and is not read yet. */
export function emptyObject(start: number): PackedObject {
  return { start, end: start, type: undefined, id: undefined, contentBytes: 0, base: undefined, isLeftOut: false };
}
