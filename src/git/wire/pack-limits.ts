import { AppError } from "../../core/errors.ts";
import { nativeRemedy } from "../native-remedy.ts";

export interface PackLimits {
  /** What a commit, a tree or a tag may have when unpacked, and what deltas may build. Default 32 MiB. */
  readonly maximumObjectBytes?: number;
  /** A blob of more is not in the index: no file of ours is so large. Default 8 MiB. */
  readonly maximumBlobBytes?: number;
  /**
   * What the pack may unpack to, without what deltas copy into objects of less than 8 MiB. Default 128 MiB and twenty times
   * the pack: text shrinks to a fifth, zeros to a thousandth.
   */
  readonly maximumInflatedBytes?: number;
  /** What all deltas may make together, each as often as it is made. Default 32 GiB. */
  readonly maximumTotalBytes?: number;
  /** Default 1,000,000. */
  readonly maximumObjects?: number;
  /** For the whole pack. Default 5 minutes. */
  readonly maximumMs?: number;
}

/** Counts what a pack unpacks to, before it is unpacked. */
export interface PackBudget {
  readonly maximumObjectBytes: number;
  /** An object of the pack, or a delta, is unpacked for the first time. @throws E_UNSUPPORTED */
  inflate(sizeBytes: number): void;
  /** A delta makes an object, or what it builds on is unpacked once more. @throws E_UNSUPPORTED */
  make(sizeBytes: number): void;
}

/** A blob of so many bytes may be missing in the copy. */
export const largeBlobBytes = 8 * 1024 ** 2;

export function makePackBudget(limits: PackLimits, packBytes: number): PackBudget {
  const { maximumObjectBytes = 32 * 1024 ** 2, maximumTotalBytes = 32 * 1024 ** 3 } = limits;
  const { maximumInflatedBytes = 128 * 1024 ** 2 + 20 * packBytes } = limits;
  let inflatedBytes = 0;
  let madeBytes = 0;
  const inflate = (sizeBytes: number): void => {
    inflatedBytes += sizeBytes;
    if (inflatedBytes > maximumInflatedBytes) throw packTooLarge(inflatedBytes, maximumInflatedBytes);
  };
  return {
    maximumObjectBytes,
    inflate,
    make: (sizeBytes) => {
      madeBytes += sizeBytes;
      if (madeBytes > maximumTotalBytes) throw packTooLarge(madeBytes, maximumTotalBytes);
      // A status branch has thousands of smaller ones.
      if (sizeBytes >= largeBlobBytes) inflate(sizeBytes);
    },
  };
}

/** The error for a pack of objects that are too large. */
export function packTooLarge(sizeBytes: number, maximumBytes: number): AppError {
  const text = `read a pack: it unpacks to ${sizeBytes} bytes where ${maximumBytes} are allowed; use the native back-end`;
  return new AppError("E_UNSUPPORTED", text, { data: { sizeBytes, maximumBytes }, remedy: nativeRemedy });
}

/** The error for a pack of too many objects. */
export function tooManyObjects(objectCount: number, maximumObjects: number): AppError {
  const text = `read a pack: it has ${objectCount} objects where ${maximumObjects} are allowed; use the native back-end`;
  return new AppError("E_UNSUPPORTED", text, { data: { objectCount, maximumObjects }, remedy: nativeRemedy });
}
