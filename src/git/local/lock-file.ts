import { link, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sha256Hex } from "../../core/digest.ts";
import { fileErrorCode, readIfThere } from "./durable-files.ts";
import { describeProcess, formatOwner, isOwnerAlive, parseOwner } from "./process-owner.ts";

const guardLifeMs = 60_000;

export interface LockFileOptions {
  /** The lock: its existence is what counts. */
  readonly path: string;
  /** A unique path on the same file system. */
  readonly temporaryPath: string;
}

/**
 * Takes a lock file that names this process, or reports that it is held. A lock of this program whose process has ended
 * is taken over at once; locks of other programs are never changed.
 */
export async function takeLockFile({ path, temporaryPath }: LockFileOptions): Promise<"taken" | "held"> {
  const content = formatOwner({ ...(await describeProcess()), nonce: basename(temporaryPath) });
  for (let tries = 0; tries < 3; tries++) {
    const { isCreated, nowMs } = await createWhole(path, temporaryPath, content);
    if (isCreated) return "taken";
    const found = await readIfThere(path);
    if (found === undefined) continue;
    const owner = parseOwner(found);
    if (!owner || (await isOwnerAlive(owner))) return "held";
    await removeStale({ path, stale: found, folder: dirname(temporaryPath), nowMs });
  }
  return "held";
}

/** Gives a lock back. Only its holder may call it. */
export async function releaseLockFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/**
 * Creates the file with its whole content or not at all, so that a crash never leaves a lock without an owner. Returns
 * the file system's time too.
 */
async function createWhole(
  path: string,
  temporaryPath: string,
  content: string,
): Promise<{ isCreated: boolean; nowMs: number }> {
  await writeFile(temporaryPath, content, { flag: "wx", mode: 0o644 });
  try {
    const nowMs = (await stat(temporaryPath)).mtimeMs;
    return { isCreated: await linkOrCreate(path, temporaryPath, content), nowMs };
  } finally {
    await rm(temporaryPath, { force: true });
  }
}

async function linkOrCreate(path: string, temporaryPath: string, content: string): Promise<boolean> {
  try {
    await link(temporaryPath, path);
    return true;
  } catch (error) {
    const code = fileErrorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code)) throw error;
    return createInPlace(path, content);
  }
}

/** For file systems without hard links: a crash between the two steps leaves a lock that no process takes over. */
async function createInPlace(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (fileErrorCode(error) === "EEXIST") return false;
    throw error;
  }
}

interface StaleLock {
  readonly path: string;
  /** Its content, which no other lock has. */
  readonly stale: string;
  /** For the guard. */
  readonly folder: string;
  readonly nowMs: number;
}

/**
 * Removes a stale lock. Several processes may find it at once, and one of them may have made its own lock before
 * another one removes it: the process with the guard for this lock checks again first.
 */
async function removeStale({ path, stale, folder, nowMs }: StaleLock): Promise<void> {
  const guard = join(folder, `rollcall-tmp-${sha256Hex(`${path}\n${stale}`).slice(0, 16)}`);
  try {
    await mkdir(guard);
  } catch (error) {
    if (fileErrorCode(error) !== "EEXIST") throw error;
    await removeOldGuard(guard, nowMs);
    return;
  }
  try {
    if ((await readIfThere(path)) === stale) await rm(path, { force: true });
  } finally {
    await rm(guard, { recursive: true, force: true });
  }
}

/** A guard is held for a moment: one that is old was left by a kill within that moment. */
async function removeOldGuard(guard: string, nowMs: number): Promise<void> {
  try {
    const { mtimeMs } = await stat(guard);
    if (nowMs - mtimeMs > guardLifeMs) await rm(guard, { recursive: true, force: true });
  } catch (error) {
    if (fileErrorCode(error) !== "ENOENT") throw error;
  }
}
