import { rename, writeFile } from "node:fs/promises";
import process from "node:process";

/** Writes a file that only its owner may read; a reader sees the old content or the new one, never a part. */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, path);
}
