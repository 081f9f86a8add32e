import { readFile, rename, writeFile } from "node:fs/promises";
import { errorCodeOf } from "../../core/errors.ts";

/** The text of a file, or undefined when there is none. */
export async function readPrivateText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file that only its owner can read, whole or not at all, even when the power fails. */
export async function writePrivateText(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}
