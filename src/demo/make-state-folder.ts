import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../system/make-folder.ts";
import { writeFileAtomically } from "../system/write-file-atomically.ts";

/**
 * Makes the folder of a hub's state, and one `inside` it. Git ignores one that is new: it has keys, and often lies in a work
 * tree. In one that is there, such as the work tree itself, nothing is written.
 */
export async function makeStateFolder(dir: string, inside = "."): Promise<void> {
  const isThere = existsSync(dir);
  await makeFolder(join(dir, inside), 0o700);
  if (!isThere) await writeFileAtomically(join(dir, ".gitignore"), "*\n");
}
