import { link, rename, rm, writeFile } from "node:fs/promises";
import { errorCodeOf } from "../core/errors.ts";
import { realRandom } from "./real-clock.ts";

/**
 * Writes a file that only its owner may read; a reader sees the old content or the new one, never a part. The folder may be one
 * that others write to: nothing is written to a file or through a link that is there already.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw withPath(error, path);
  }
}

/** The error of a write names the temporary file, or none where the disk is full. */
function withPath(error: unknown, path: string): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}

/** The same for a file that is new: of several processes that create it, one does. False: it is there, and stays as it is. */
export async function createFileAtomically(path: string, content: string | Uint8Array): Promise<boolean> {
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
    return await isDone(() => linkOrWrite(temporary, path, content));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Where the file system has no hard links, a process that is killed here can leave a part of the file. */
async function linkOrWrite(temporary: string, path: string, content: string | Uint8Array): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (!noHardLinks.has(errorCodeOf(error) ?? "")) throw error;
    await writeFile(path, content, { mode: 0o600, flag: "wx" });
  }
}

const noHardLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function isDone(create: () => Promise<void>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function temporaryBeside(path: string): string {
  return `${path}.${Buffer.from(realRandom.bytes(8)).toString("hex")}.tmp`;
}
