import { rename, rm, writeFile } from "node:fs/promises";
import { realRandom } from "./real-clock.ts";

/**
 * Writes a file that only its owner may read; a reader sees the old content or the new one, never a part. The folder may be one
 * that others write to: nothing is written to a file or through a link that is there already.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${Buffer.from(realRandom.bytes(8)).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
