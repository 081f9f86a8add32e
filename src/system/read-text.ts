import { readFile } from "node:fs/promises";
import { errorCodes } from "../core/error-codes.ts";
import { AppError } from "../core/errors.ts";
import { reasonOfRead } from "../core/file-reasons.ts";

/** The text of a file that an option names. @throws E_USAGE when the file cannot be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason = reasonOfRead(error) ?? "it cannot be read";
    const { remedy } = errorCodes.E_READ;
    throw new AppError("E_USAGE", `read ${path}: ${reason}`, { cause: error, remedy });
  }
}
