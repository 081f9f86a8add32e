import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { appendAll } from "../../core/append-all.ts";
import { AppError } from "../../core/errors.ts";
import type { Random } from "../../core/clock.ts";
import { writeFileDurably, readIfThere } from "./durable-files.ts";
import { lockFolder, temporaryName } from "./folder-lock.ts";
import { wrapFileErrors } from "./wrap-file-errors.ts";
import type { ObjectReader } from "../objects/git-object.ts";
import { openIsomorphicObjects } from "./isomorphic-objects.ts";
import { addPack } from "./pack-folder.ts";
import type { PackLimits } from "../wire/pack-limits.ts";
import { makePackOnlyFs } from "./partial-fs.ts";
import { formatPackedRefs, parsePackedRefs } from "./packed-refs.ts";

export interface ObjectCacheOptions {
  /** Belongs to the cache alone; made when absent. */
  readonly folder: string;
  /** The repository that it is a copy of: a cache of another one is emptied. */
  readonly url: string;
  readonly random: Random;
  readonly limits?: PackLimits;
}

export interface ReceivedPack {
  readonly pack: Buffer;
  /** The server was asked to leave out large blobs. */
  readonly isFiltered: boolean;
  readonly signal?: AbortSignal;
}

/**
 * A copy of a remote repository's history: a bare repository of packs alone. It is disposable: whatever is wrong with it,
 * emptying it and fetching again is the repair. One process at a time.
 */
export interface ObjectCache {
  readonly objects: ObjectReader;
  /** The branches that were fetched, each with all it reaches. */
  readonly refs: ReadonlyMap<string, string>;
  /** How many packs there are, and their size. */
  measure(): Promise<{ readonly packs: number; readonly sizeBytes: number }>;
  /** True when large blobs may be missing: they were left out of a pack, by the server or here. */
  isPartial(): boolean;
  /** Adds a pack. @throws E_GIT_PROTOCOL, E_UNSUPPORTED, E_GIT_CORRUPT, E_DISK_WRITE */
  addPack(pack: ReceivedPack): Promise<void>;
  /** Puts the packs that `add` adds by its argument, which have all that the refs reach, in the place of all that are there. */
  replacePacks(add: (addPack: (pack: ReceivedPack) => Promise<void>) => Promise<void>): Promise<void>;
  /** Records the head of a branch, after its objects are here; undefined when it is deleted. */
  setRef(ref: string, id: string | undefined): Promise<void>;
  /** Deletes everything. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** @throws E_DIR_LOCKED when another process uses the folder; E_DISK_WRITE */
export async function openObjectCache(options: ObjectCacheOptions): Promise<ObjectCache> {
  const close = await wrapFileErrors(options.folder, () => lockFolder(options.folder, options.random));
  try {
    return { ...(await wrapFileErrors(options.folder, () => openLocked(options))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openLocked({ folder, url, random, limits }: ObjectCacheOptions): Promise<Omit<ObjectCache, "close">> {
  const gitdir = join(folder, "repository.git");
  const packFolder = join(gitdir, "objects", "pack");
  const files = makePackOnlyFs();
  const objects = openIsomorphicObjects({ gitdirs: [gitdir], fs: files.client, damaged });
  const write = (name: string, content: string): Promise<void> =>
    writeFileDurably(join(gitdir, name), content, { temporaryPath: join(gitdir, temporaryName(random)) });
  const refs = new Map<string, string>();
  let isPartial = false;
  const forget = (): void => {
    files.forget();
    objects.forget();
  };

  const empty = async (): Promise<void> => {
    await rm(gitdir, { recursive: true, force: true });
    refs.clear();
    isPartial = false;
    forget();
    await mkdir(packFolder, { recursive: true });
    await mkdir(join(gitdir, "refs"), { recursive: true });
    await writeEmptyRepository(write, url);
  };

  /** Before the pack is there, so that nothing that is missing is taken for damage. */
  const markPartial = async (): Promise<void> => {
    if (isPartial) return;
    await write(partialName, "");
    isPartial = true;
  };

  const addToFolder = async ({ pack, isFiltered, signal }: ReceivedPack): Promise<string[]> => {
    const scratch = { scratchName: temporaryName(random), onLeftOut: markPartial };
    const options = { ...scratch, ...(limits ? { limits } : {}), ...(signal ? { signal } : {}) };
    const names = await wrapFileErrors(folder, async () => {
      if (isFiltered) await markPartial();
      return addPack(gitdir, pack, options);
    });
    forget();
    return names;
  };

  const replacePacks: ObjectCache["replacePacks"] = async (add) => {
    const old = await readdir(packFolder);
    const added: string[] = [];
    await add(async (pack) => appendAll(added, await addToFolder(pack)));
    for (const name of old) if (!added.includes(name)) await rm(join(packFolder, name), { force: true });
    forget();
  };

  const setRef = async (ref: string, id: string | undefined): Promise<void> => {
    if (refs.get(ref) === id) return;
    const next = new Map(refs);
    if (id === undefined) next.delete(ref);
    else next.set(ref, id);
    await wrapFileErrors(folder, () => write("packed-refs", formatPackedRefs(next)));
    if (id === undefined) refs.delete(ref);
    else refs.set(ref, id);
  };

  await mkdir(packFolder, { recursive: true });
  if (!(await isCopyOf(gitdir, url))) await empty();
  await removeLeftovers(gitdir, packFolder);
  const packedRefs = parsePackedRefs((await readIfThere(join(gitdir, "packed-refs"))) ?? "");
  for (const [ref, id] of packedRefs) refs.set(ref, id);
  if (!(await areHere(objects, refs.values()))) await empty();
  isPartial = (await readIfThere(join(gitdir, partialName))) !== undefined;

  return {
    objects,
    refs,
    isPartial: () => isPartial,
    measure: () => wrapFileErrors(folder, () => measurePacks(packFolder)),
    addPack: async (pack) => void (await addToFolder(pack)),
    replacePacks: (add) => wrapFileErrors(folder, () => replacePacks(add)),
    setRef,
    empty: () => wrapFileErrors(folder, empty),
  };
}

/** A file of this name means that blobs were left out. */
const partialName = "rollcall-partial";
/** It has the address of the repository that the folder is a copy of. */
const sourceName = "rollcall-source";

async function writeEmptyRepository(
  write: (name: string, content: string) => Promise<void>,
  url: string,
): Promise<void> {
  await write("config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
  await write(sourceName, `${url}\n`);
  // Last: it makes the folder a repository.
  await write("HEAD", "ref: refs/heads/main\n");
}

async function isCopyOf(gitdir: string, url: string): Promise<boolean> {
  if ((await readIfThere(join(gitdir, sourceName))) !== `${url}\n`) return false;
  return (await readIfThere(join(gitdir, "HEAD"))) !== undefined;
}

async function areHere(objects: ObjectReader, ids: Iterable<string>): Promise<boolean> {
  try {
    for (const id of ids) if (!(await objects.has(id))) return false;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "E_GIT_CORRUPT") return false;
    throw error;
  }
}

/** What a crash in the middle of adding a pack leaves behind. */
async function removeLeftovers(gitdir: string, packFolder: string): Promise<void> {
  const names = await readdir(gitdir);
  const scratch = names.filter((name) => name.startsWith("tmp-")).map((name) => join(gitdir, name));
  const packs = await readdir(packFolder);
  const orphans = packs.filter((name) => name.endsWith(".pack") && !packs.includes(name.replace(/pack$/u, "idx")));
  for (const path of [...scratch, ...orphans.map((name) => join(packFolder, name))]) {
    await rm(path, { recursive: true, force: true });
  }
}

async function measurePacks(packFolder: string): Promise<{ packs: number; sizeBytes: number }> {
  const names = (await readdir(packFolder)).filter((name) => name.endsWith(".pack"));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(packFolder, name))).size));
  return { packs: names.length, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function damaged(id: string, cause: unknown): AppError {
  return new AppError("E_GIT_CORRUPT", `read object ${id} of the local copy: it is damaged`, { cause, data: { id } });
}
