import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../system/make-folder.ts";

/**
 * Makes the folder of a hub's state. Git ignores one that is new: it has keys, and often lies in a work tree. In one that is
 * there, such as the work tree itself, nothing is written.
 */
export async function makeStateFolder(dir: string): Promise<void> {
  if (await makeFolder(dir, 0o700)) await writeFile(join(dir, ".gitignore"), "*\n");
}
