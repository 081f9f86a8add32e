import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileDurably, syncFolder } from "./durable-files.ts";
import { indexPack } from "../wire/index-pack.ts";
import type { PackLimits } from "../wire/pack-limits.ts";

export interface AddPackOptions {
  /** Unique: a folder of this name is used and removed. */
  readonly scratchName: string;
  readonly limits?: PackLimits;
  /** Called before the pack is moved in when large blobs of it are left out. */
  readonly onLeftOut?: () => Promise<void>;
  readonly signal?: AbortSignal;
}

/**
 * Adds a pack to a repository's objects: checked, indexed aside, and moved in with its index last, so that a reader (or a
 * `kill -9`) never meets half of it. Returns the names of the two files.
 * @throws E_GIT_PROTOCOL when the pack is damaged or misses the base of a delta; E_UNSUPPORTED when it is too large
 */
export async function addPack(gitdir: string, pack: Buffer, options: AddPackOptions): Promise<string[]> {
  const { scratchName, limits, onLeftOut, signal } = options;
  const { checksum, objectCount, index, leftOut } = await indexPack(pack, limits, signal);
  if (objectCount === 0) return [];
  if (leftOut > 0) await onLeftOut?.();
  const names = [`pack-${checksum}.pack`, `pack-${checksum}.idx`] as const;
  const scratch = join(gitdir, scratchName);
  const folder = join(gitdir, "objects", "pack");
  await mkdir(scratch, { recursive: true });
  await mkdir(folder, { recursive: true });
  try {
    const contents = [pack, index] as const;
    for (const at of [0, 1] as const) {
      const path = join(scratch, names[at]);
      await writeFileDurably(path, contents[at], { temporaryPath: `${path}.tmp`, mode: 0o444 });
    }
    for (const name of names) await rename(join(scratch, name), join(folder, name));
    await syncFolder(folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return [...names];
}
