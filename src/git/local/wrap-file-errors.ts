import { AppError } from "../../core/errors.ts";
import { fileErrorCode } from "./durable-files.ts";

/** What no new copy mends: the disk takes nothing, and what is on it is as good as it was. */
const refusals: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EMFILE", "ENFILE"]);

/**
 * Runs `work` on the files of a copy.
 * @throws E_DISK_WRITE when the disk takes nothing; E_GIT_CORRUPT for any other error of a file: then the copy is made anew
 */
export async function wrapFileErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = fileErrorCode(error);
    if (error instanceof AppError || code === undefined) throw error;
    const given = refusals.has(code) ? "E_DISK_WRITE" : "E_GIT_CORRUPT";
    throw new AppError(given, `write the git cache ${folder}: ${code}`, { cause: error, data: { reason: code } });
  }
}
