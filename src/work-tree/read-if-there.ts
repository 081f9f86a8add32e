import { readFile } from "node:fs/promises";
import { isAbsent, unreadable } from "../core/unreadable.ts";

/** The text of a file, or undefined when there is none. E_READ when it cannot be read. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unreadable(path, error);
  }
}
