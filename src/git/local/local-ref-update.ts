import { mkdir, readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock, Random } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { fileErrorCode, readIfThere, syncFolder, writeFileDurably } from "./durable-files.ts";
import { conflictingRef, isSymbolicRef, readLocalRef } from "./local-refs.ts";
import { releaseLockFile, takeLockFile } from "./lock-file.ts";
import { withoutPackedRef } from "./packed-refs.ts";
import { pushRace } from "../wire/receive-pack.ts";

export interface RefUpdate {
  readonly commonDir: string;
  readonly ref: string;
  /** Where the ref must be; undefined when it must not exist. */
  readonly oldId: string | undefined;
  readonly newId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
}

// Native git holds a ref's lock for milliseconds, with a slow hook for longer.
const lockWaitMs = 2000;
const lockRetryMs = 20;

/**
 * Moves a ref from exactly `oldId` to `newId` under git's own lock (`<ref>.lock`, made exclusively), so that native git
 * and we never lose each other's update. The lock names its owner: one that a killed process of ours left is taken over at
 * once by the next update; one of native git is waited for and never broken. The ref itself changes by one rename, so that
 * a kill at any moment leaves the old or the new value. Source: git, Documentation/technical/api-lockfile, refs/files-backend.c.
 * @throws E_GIT_PUSH_RACE, E_GIT_PUSH_DENIED, E_GIT_LOCKED; the signal's reason, and nothing is changed then
 */
export async function updateLocalRef(update: RefUpdate): Promise<void> {
  const { commonDir, ref, oldId, newId, random } = update;
  const path = join(commonDir, ref);
  const lockPath = `${path}.lock`;
  await takeRefLock(update, lockPath);
  try {
    const actual = await readLocalRef(commonDir, ref);
    if (actual !== oldId) throw pushRace({ ref, url: commonDir, expected: oldId, actual });
    if (oldId === undefined) await assertNoConflict(commonDir, ref);
    if (await isSymbolicRef(commonDir, ref)) throw denied(ref, "it is a symbolic ref");
    const temporaryPath = join(commonDir, scratchName(random));
    await writeOverEmptyFolders(path, `${newId}\n`, temporaryPath);
  } finally {
    await releaseLockFile(lockPath);
  }
}

/**
 * Deletes a ref that is at `oldId`, loose and packed, under git's own locks. The packed one is deleted first: a kill in between
 * leaves the ref where it was. Source: git, refs/files-backend.c.
 * @throws E_GIT_PUSH_RACE, E_GIT_PUSH_DENIED, E_GIT_LOCKED; the signal's reason, and nothing is changed then
 */
export async function deleteLocalRef(update: Omit<RefUpdate, "newId">): Promise<void> {
  const { commonDir, ref, oldId, random } = update;
  const path = join(commonDir, ref);
  await takeRefLock(update, `${path}.lock`);
  try {
    const actual = await readLocalRef(commonDir, ref);
    if (actual === undefined) return;
    if (actual !== oldId) throw pushRace({ ref, url: commonDir, expected: oldId, actual });
    if (await isSymbolicRef(commonDir, ref)) throw denied(ref, "it is a symbolic ref");
    const packedPath = join(commonDir, "packed-refs");
    await takeRefLock(update, `${packedPath}.lock`);
    try {
      const packed = (await readIfThere(packedPath)) ?? "";
      const rest = withoutPackedRef(packed, ref);
      if (rest !== packed)
        await writeFileDurably(packedPath, rest, { temporaryPath: join(commonDir, scratchName(random)) });
    } finally {
      await releaseLockFile(`${packedPath}.lock`);
    }
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  } finally {
    await releaseLockFile(`${path}.lock`);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (fileErrorCode(error) !== "ENOENT") throw error;
}

/** A name for a scratch file in a repository; git ignores what it does not know there. */
export function scratchName(random: Random): string {
  return `rollcall-tmp-${Buffer.from(random.bytes(8)).toString("hex")}`;
}

/** Deletes scratch files that a killed process left more than an hour ago. */
export async function removeOldScratch(commonDir: string, clock: Clock): Promise<void> {
  for (const folder of [commonDir, join(commonDir, "objects")]) {
    for (const name of await readdir(folder)) {
      if (!name.startsWith("rollcall-tmp-")) continue;
      const path = join(folder, name);
      const found = await stat(path).catch(ignoreMissing); // its maker may delete it at any moment
      if (found && clock.nowMs() - found.mtimeMs > 3_600_000) await rm(path, { recursive: true, force: true });
    }
  }
}

async function takeRefLock(update: Omit<RefUpdate, "newId">, lockPath: string): Promise<void> {
  const { commonDir, ref, clock, random, signal } = update;
  const deadlineMs = clock.monotonicMs() + lockWaitMs;
  for (;;) {
    // Also before the first try: what is stopped writes no more.
    signal?.throwIfAborted();
    const temporaryPath = join(commonDir, scratchName(random));
    const taken = await tryLock(lockPath, temporaryPath, ref);
    if (taken === "taken") return;
    if (clock.monotonicMs() >= deadlineMs) {
      throw new AppError("E_GIT_LOCKED", `update ${ref}: ${lockPath} is held by another process`, { data: { ref } });
    }
    await clock.sleep(lockRetryMs, signal);
  }
}

async function tryLock(lockPath: string, temporaryPath: string, ref: string): Promise<"taken" | "held"> {
  try {
    await mkdir(dirname(lockPath), { recursive: true });
    return await takeLockFile({ path: lockPath, temporaryPath });
  } catch (error) {
    const code = fileErrorCode(error);
    // Native git removes folders that deleting a branch left empty: the next try makes it again.
    if (code === "ENOENT") return "held";
    if (code === "ENOTDIR" || code === "EEXIST")
      throw denied(ref, "a branch has the name of one of its folders", error);
    if (code === undefined) throw error;
    throw denied(ref, code, error);
  }
}

async function assertNoConflict(commonDir: string, ref: string): Promise<void> {
  const other = await conflictingRef(commonDir, ref);
  if (other !== undefined) throw denied(ref, `${other} exists, and one would be a folder of the other`);
}

/** Folders that deleted branches left empty may be where the ref's file belongs. */
async function writeOverEmptyFolders(path: string, content: string, temporaryPath: string): Promise<void> {
  try {
    await writeFileDurably(path, content, { temporaryPath });
  } catch (error) {
    if (!["EISDIR", "ENOTEMPTY", "EEXIST"].includes(fileErrorCode(error) ?? "")) throw error;
    await removeEmptyFolders(path);
    await writeFileDurably(path, content, { temporaryPath });
  }
}

async function removeEmptyFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
  }
  await rmdir(folder);
}

function denied(ref: string, reason: string, cause?: unknown): AppError {
  return new AppError("E_GIT_PUSH_DENIED", `update ${ref}: ${reason}`, { cause, data: { ref } });
}
