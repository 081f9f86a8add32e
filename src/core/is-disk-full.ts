import { errorCodeOf } from "./errors.ts";

const noSpace: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/** Whether a file could not be written because the disk is full, or the quota of the user is used up. */
export function isDiskFull(error: unknown): boolean {
  return noSpace.has(errorCodeOf(error));
}
