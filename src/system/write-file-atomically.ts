import { link, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AppError, errorCodeOf } from "../core/errors.ts";
import { realRandom } from "./real-clock.ts";

/**
 * Writes a file that only its owner may read; a reader sees the old content or the new one, never a part. The folder may be one
 * that others write to: nothing is written to a file or through a link that is there already.
 * @throws E_ACCESS for a device, a pipe or a socket, which a file must not take the place of; and what the system answers
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  await refuseDevice(path);
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw withPath(error, path);
  }
}

async function refuseDevice(path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  const isReplaceable = there === undefined || there.isFile() || there.isDirectory();
  // /dev/stdout is a link, which may lead to a file.
  if (isReplaceable && dirname(resolve(path)) !== "/dev") return;
  const remedy = "Name a file that is new or may be replaced, and read it from there.";
  throw new AppError("E_ACCESS", `write ${path}: it is a device or a pipe, and no file`, { remedy });
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
