import { AppError, isAppError } from "../../core/errors.ts";
import type { Commit } from "../git.ts";
import type { ObjectCache, ReceivedPack } from "../local/object-cache.ts";
import { nativeRemedy } from "../native-remedy.ts";
import { isMissingObject } from "../objects/git-object.ts";
import type { ObjectReader } from "../objects/git-object.ts";
import { readCommit, readRepository } from "../objects/read-repository.ts";
import type { UploadPack } from "../wire/upload-pack.ts";
import type { CopyWork } from "./copy-work.ts";
import type { Damage } from "./fetch-repairing.ts";

export interface FetchingOptions {
  /** The remote's address, for messages. */
  readonly url: string;
  readonly cache: ObjectCache;
  readonly remote: UploadPack;
  /** Those of the cache. */
  readonly objects: ObjectReader;
  readonly work: CopyWork;
  readonly damage: Damage;
  /** Packs in the cache before it is replaced by one. */
  readonly maximumPacks: number;
}

// Our own pushes are stored without deltas: after this much of it the server's copy is smaller.
const growthBytes = 128 * 1024 * 1024;

/** How the head of a ref is fetched, with all it reaches; undefined when the ref does not exist. */
export async function fetchingIntoCache({ url, cache, remote, objects, work, damage, maximumPacks }: FetchingOptions) {
  const growth = await watchGrowth(cache, maximumPacks);

  const repair = async (): Promise<void> => {
    if (!damage.isFound) return;
    await work.whenAlone();
    await cache.empty();
    damage.isFound = false;
    growth.recordEmptied();
  };

  const download = async (head: string, haves: readonly string[], stop: { signal?: AbortSignal }): Promise<void> => {
    await cache.addPack({ ...(await remote.fetchPack({ wants: [head], haves, ...stop })), ...stop });
  };

  /** A server never sends again what it takes to be here: of a copy that misses something, all is asked for again. */
  const check = async (head: string, known: string | undefined): Promise<void> => {
    await readCommit(objects, head);
    const missing = await findMissingFolder(objects, head, known);
    if (missing === undefined) return;
    damage.isFound = true;
    const text = `read ${url}: it sent a commit without its folder ${missing}`;
    throw new AppError("E_GIT_PROTOCOL", text, { data: { head, missing } });
  };

  /** Where the branch is, and the download and check of what is new, which have begun. */
  const lookAt = async (
    ref: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly head: string | undefined; readonly downloaded?: Promise<void> }> => {
    await repair();
    const { id: head, format } = await remote.readRef(ref, signal);
    if (format !== "sha1") {
      const text = `read ${url}: ids by SHA-256 need the native back-end`;
      throw new AppError("E_UNSUPPORTED", text, { remedy: nativeRemedy });
    }
    const stop = signal ? { signal } : {};
    if (head !== undefined && head !== cache.refs.get(ref)) {
      const haves = (await objects.has(head)) ? undefined : await chooseHaves(objects, cache.refs, ref);
      const known = cache.refs.get(ref) ?? [...cache.refs.values()][0];
      const receive = async (): Promise<void> => {
        if (haves) await download(head, haves, stop);
        await check(head, known);
      };
      return { head, downloaded: work.beside(receive) };
    }
    // While another branch is downloaded, nothing is taken away: the next read does it.
    if (work.isAlone() && (await growth.isOvergrown())) {
      await renew({ cache, remote, ref, head, ...stop });
      await growth.recordRenewed();
    }
    await cache.setRef(ref, head);
    return { head };
  };

  return async (ref: string, signal?: AbortSignal): Promise<string | undefined> => {
    const { head, downloaded } = await work.run(() => lookAt(ref, signal));
    if (head === undefined || downloaded === undefined) return head;
    await downloaded;
    await work.run(async () => {
      // A repair may have emptied the copy in between.
      if (await objects.has(head)) await cache.setRef(ref, head);
    });
    return head;
  };
}

/**
 * Commits to offer to the server: the previous heads of all branches, and the branch's own history at growing
 * distances, so that after a force-push only new objects are sent.
 */
async function chooseHaves(objects: ObjectReader, refs: ReadonlyMap<string, string>, ref: string): Promise<string[]> {
  const haves = new Set([...refs.values()].slice(0, 64));
  let id = refs.get(ref);
  for (let distance = 0; id !== undefined && distance < 1024; distance++) {
    if (Number.isInteger(Math.log2(distance + 1))) haves.add(id);
    id = (await findCommit(objects, id))?.parents[0];
  }
  return [...haves];
}

/** Undefined also for what is no commit that can be read: the head of a branch once, it must not end all later reads. */
async function findCommit(objects: ObjectReader, id: string): Promise<Commit | undefined> {
  try {
    return await readCommit(objects, id);
  } catch (error) {
    if (isAppError(error, "E_GIT_OBJECT")) return undefined;
    throw error;
  }
}

/** A folder of a commit that is not here; those that the commit `known` has, too, if that is here, are not visited. */
async function findMissingFolder(
  objects: ObjectReader,
  head: string,
  known: string | undefined,
): Promise<string | undefined> {
  const from = known === undefined ? undefined : await findCommit(objects, known);
  try {
    await readRepository(objects).changedPaths(from?.id, head);
  } catch (error) {
    if (isMissingObject(error) && isAppError(error)) return String(error.data.id);
    // Too many files, or a folder in a wrong form: who reads them reports it.
    if (!isAppError(error, "E_GIT_OBJECT", "E_TOO_MANY_FILES")) throw error;
  }
  return undefined;
}

/** How far the copy has grown since it was opened, emptied or renewed. */
async function watchGrowth(cache: ObjectCache, maximumPacks: number) {
  let startBytes = (await cache.measure()).sizeBytes;
  let startPacks = 0;
  return {
    isOvergrown: async (): Promise<boolean> => {
      const { packs, sizeBytes } = await cache.measure();
      return packs > startPacks + maximumPacks || sizeBytes > 2 * startBytes + growthBytes;
    },
    recordEmptied: (): void => {
      startBytes = 0;
      startPacks = 0;
    },
    recordRenewed: async (): Promise<void> => {
      const { packs, sizeBytes } = await cache.measure();
      startBytes = sizeBytes;
      startPacks = packs - 1;
    },
  };
}

/** Replaces all packs by one from the server, which has packed its objects better than single pushes can. */
async function renew(options: {
  readonly cache: ObjectCache;
  readonly remote: UploadPack;
  /** The branch that was just read, and its head. */
  readonly ref: string;
  readonly head: string | undefined;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const { cache, remote, ref, head, signal } = options;
  const heads = new Map([[ref, head]]);
  for (const other of cache.refs.keys()) {
    if (other !== ref) heads.set(other, (await remote.readRef(other, signal)).id);
  }
  const wants = [...new Set([...heads.values()].filter((id) => id !== undefined))];
  if (wants.length === 0) return;
  const stop = signal ? { signal } : {};
  const fetch = async (want: readonly string[], haves: readonly string[]): Promise<ReceivedPack> => ({
    ...(await remote.fetchPack({ wants: want, haves, ...stop })),
    ...stop,
  });
  await cache.replacePacks(async (addPack) => {
    try {
      await addPack(await fetch(wants, []));
    } catch (error) {
      // Branches of strangers may have too much for one pack: the copy of the others does not end by it.
      if (!isAppError(error, "E_UNSUPPORTED")) throw error;
      for (const [index, id] of wants.entries()) await addPack(await fetch([id], wants.slice(0, index)));
    }
  });
  for (const [name, id] of heads) await cache.setRef(name, id);
}
