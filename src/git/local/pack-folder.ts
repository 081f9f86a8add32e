import { mkdir, open, rename, rm } from "node:fs/promises";
import * as fs from "node:fs";
import { join } from "node:path";
import git, { Errors } from "isomorphic-git";
import { writeFileDurably, syncFolder } from "./durable-files.ts";
import { checkPack } from "../wire/pack-file.ts";
import type { PackLimits } from "../wire/pack-file.ts";
import { protocolError } from "../wire/pkt-line.ts";

/**
 * Adds a pack to a repository's objects: checked, indexed aside, and moved in with its index last, so that a reader (or a
 * `kill -9`) never meets half of it. `scratchName` must be unique. Returns the names of the two files.
 * @throws E_GIT_PROTOCOL when the pack is damaged or misses the base of a delta; E_UNSUPPORTED when it is too large
 */
export async function addPack(
  gitdir: string,
  pack: Buffer,
  options: { readonly scratchName: string; readonly limits?: PackLimits },
): Promise<string[]> {
  const { checksum, objectCount } = await checkPack(pack, options.limits);
  if (objectCount === 0) return [];
  const name = `pack-${checksum}`;
  const scratch = join(gitdir, options.scratchName);
  const folder = join(gitdir, "objects", "pack");
  await mkdir(scratch, { recursive: true });
  await mkdir(folder, { recursive: true });
  try {
    const packPath = join(scratch, `${name}.pack`);
    const indexPath = join(scratch, `${name}.idx`);
    await writeFileDurably(packPath, pack, { temporaryPath: `${packPath}.tmp`, mode: 0o444 });
    const { oids } = await git
      .indexPack({ fs, dir: scratch, gitdir, filepath: `${name}.pack`, cache: {} })
      .catch(malformedPack);
    // The index leaves out silently what it could not resolve.
    if (oids.length !== objectCount) throw protocolError("the pack misses objects that its deltas build on");
    await syncFile(indexPath);
    await rename(packPath, join(folder, `${name}.pack`));
    await rename(indexPath, join(folder, `${name}.idx`));
    await syncFolder(folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return [`${name}.pack`, `${name}.idx`];
}

/** What the library calls a fault of its own is one of the pack: an unknown version, an object of an unknown type. */
function malformedPack(error: unknown): never {
  if (error instanceof Errors.InternalError) throw protocolError(`the pack is malformed: ${error.data.message}`);
  throw error;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
