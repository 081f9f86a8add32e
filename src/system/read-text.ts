import { readFile } from "node:fs/promises";
import { AppError, errorCodeOf } from "../core/errors.ts";

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "it is not there"],
  ["ENOTDIR", "a part of the path is no folder"],
  ["EISDIR", "it is a folder"],
  ["EACCES", "this user may not read it"],
  ["EPERM", "this user may not read it"],
]);

/** The text of a file that an option names. @throws E_USAGE when the file cannot be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason = reasons.get(errorCodeOf(error) ?? "") ?? "it cannot be read";
    throw new AppError("E_USAGE", `read ${path}: ${reason}`, { cause: error });
  }
}
