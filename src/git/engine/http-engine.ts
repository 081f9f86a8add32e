import type { Random } from "../../core/clock.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { nativeRemedy } from "../native-remedy.ts";
import { branchesOf, branchPrefix, branchRef } from "../branch-name.ts";
import { fetchRepairing } from "./fetch-repairing.ts";
import type { BranchMove, CommitRequest, GitEngine } from "../git.ts";
import { isMissingObject } from "../objects/git-object.ts";
import type { ObjectReader } from "../objects/git-object.ts";
import { openHttpTransport } from "../wire/http-transport.ts";
import type { HttpTransport, HttpTransportOptions } from "../wire/http-transport.ts";
import { watchDamage } from "../local/watch-damage.ts";
import { openObjectCache } from "../local/object-cache.ts";
import type { ObjectCache, ReceivedPack } from "../local/object-cache.ts";
import { PieceDeflater } from "../objects/piece-deflater.ts";
import { buildPack } from "../wire/pack-file.ts";
import { largeBlobBytes } from "../wire/pack-limits.ts";
import type { PackLimits } from "../wire/pack-limits.ts";
import { expectedHead, prepareCommit, readCommit, readRepository } from "../objects/read-repository.ts";
import { pushPack } from "../wire/receive-pack.ts";
import { makeSerialWork } from "./serial-work.ts";
import { makeUploadPack } from "../wire/upload-pack.ts";
import type { UploadPack } from "../wire/upload-pack.ts";

export interface HttpEngineOptions extends HttpTransportOptions {
  /** A folder of this engine's own; its content is disposable. */
  readonly cacheDir: string;
  readonly random: Random;
  /** Of what is received at once, in compressed form. Default 256 MiB: it is held in memory, for a moment twice. */
  readonly maximumPackBytes?: number;
  /** Packs in the cache before it is replaced by one: each fetch and push adds one. Default 300. */
  readonly maximumPacks?: number;
  readonly limits?: PackLimits;
  /** See {@link readRepository}. */
  readonly maximumEntries?: number;
}

// Our own pushes are stored without deltas: after this much of it the server's copy is smaller.
const growthBytes = 128 * 1024 * 1024;

/**
 * The default engine for http(s): own smart-HTTP requests into a bare cache that isomorphic-git reads. A cache that is
 * damaged is emptied and fetched again.
 * @throws E_DIR_LOCKED when another process uses `cacheDir`
 */
export async function openIsomorphicEngine(options: HttpEngineOptions): Promise<GitEngine> {
  const { cacheDir, url, random, limits, maximumEntries } = options;
  const { maximumPackBytes = 256 * 1024 ** 2, maximumPacks = 300 } = options;
  const cache = await openObjectCache({ folder: cacheDir, url, random, ...(limits ? { limits } : {}) });
  const transport = openHttpTransport(options);
  const remote = makeUploadPack(transport, maximumPackBytes);
  const [serial, deflater] = [makeSerialWork(), new PieceDeflater()];
  const growth = await watchGrowth(cache, maximumPacks);
  let isDamaged = false;
  const objects = watchDamage(cache.objects, () => (isDamaged = true));

  const repair = async (): Promise<void> => {
    if (!isDamaged) return;
    await cache.empty();
    isDamaged = false;
    growth.recordEmptied();
  };

  const fetchHead = async (ref: string, signal: AbortSignal | undefined): Promise<string | undefined> => {
    await repair();
    const { id: head, format } = await remote.readRef(ref, signal);
    if (format !== "sha1") {
      const text = `read ${url}: ids by SHA-256 need the native back-end`;
      throw new AppError("E_UNSUPPORTED", text, { remedy: nativeRemedy });
    }
    if (head !== undefined && !(await objects.has(head))) {
      const haves = await chooseHaves(objects, cache.refs, ref);
      const stop = signal ? { signal } : {};
      await cache.addPack({ ...(await remote.fetchPack({ wants: [head], haves, ...stop })), ...stop });
      await readCommit(objects, head);
    } else if (await growth.isOvergrown()) {
      await renew({ cache, remote, ref, head, ...(signal ? { signal } : {}) });
      await growth.recordRenewed();
    }
    await cache.setRef(ref, head);
    return head;
  };

  const commitAndPush = async (request: CommitRequest): Promise<string> => {
    const ref = branchRef(request.branch);
    const { parent, signal } = request;
    const prepared = await prepareCommit(objects, request);
    if (!prepared) return parent ?? "";
    const pack = buildPack(prepared.objects, { deflater });
    const update = { ref, oldId: expectedHead(request), newId: prepared.id };
    await pushPack(transport, { ...update, pack, ...(signal ? { signal } : {}) });
    try {
      await cache.addPack({ pack, isFiltered: false });
      await cache.setRef(ref, prepared.id);
    } catch (error) {
      // The push has happened: only the copy is behind, and the next fetch repairs it.
      if (!isAppError(error)) throw error;
      isDamaged = true;
    }
    return prepared.id;
  };

  return {
    url,
    ...readPartial(cache, readRepository(objects, maximumEntries), url),
    fetchHead: async (branch, signal) => {
      const ref = branchRef(branch);
      const recordDamage = (): void => void (isDamaged = true);
      return serial.run(() => fetchRepairing(() => fetchHead(ref, signal), recordDamage));
    },
    listBranches: (signal) => serial.run(async () => branchesOf(await remote.readRefs(branchPrefix, signal))),
    commitAndPush: (request) => serial.run(() => commitAndPush(request)),
    moveBranch: (move) => serial.run(() => moveBranch({ transport, cache }, move)),
    deleteBranch: (branch, from, signal) =>
      serial.run(() => moveBranch({ transport, cache }, { branch, from, ...(signal ? { signal } : {}) })),
    close: async () => {
      await transport.close();
      await serial.whenIdle();
      await cache.close();
    },
  };
}

/** Without `to`, the branch is deleted. */
async function moveBranch(
  { transport, cache }: { readonly transport: HttpTransport; readonly cache: ObjectCache },
  { branch, from, to, signal }: Partial<BranchMove> & Pick<BranchMove, "branch">,
): Promise<void> {
  if (from === to) return;
  const pack = to === undefined ? {} : { pack: buildPack([]) };
  const update = { ref: branchRef(branch), oldId: from, newId: to, ...pack };
  await pushPack(transport, { ...update, ...(signal ? { signal } : {}) });
  await cache.setRef(update.ref, to);
}

/** Reads of a copy that may be partial: a blob that is missing is one that was left out. */
function readPartial(cache: ObjectCache, reader: ReturnType<typeof readRepository>, url: string) {
  return {
    ...reader,
    readBlob: (async (blobId, readOptions) => {
      try {
        return await reader.readBlob(blobId, readOptions);
      } catch (error) {
        throw isMissingObject(error) && cache.isPartial() ? blobLeftOut(blobId, url) : error;
      }
    }) satisfies GitEngine["readBlob"],
  };
}

/** The error for a blob that the copy does not have because of its size. */
function blobLeftOut(id: string, url: string): AppError {
  const text = `read object ${id}: the copy of ${url} has no file of more than ${largeBlobBytes} bytes`;
  return new AppError("E_FILE_TOO_LARGE", text, { data: { id, maximumBytes: largeBlobBytes } });
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
    if (!(await objects.has(id))) break;
    id = (await readCommit(objects, id)).parents[0];
  }
  return [...haves];
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
