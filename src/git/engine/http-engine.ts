import type { Random } from "../../core/clock.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { branchesOf, branchPrefix, branchRef } from "../branch-name.ts";
import { makeCopyWork } from "./copy-work.ts";
import { fetchRepairing } from "./fetch-repairing.ts";
import type { Damage } from "./fetch-repairing.ts";
import { fetchingIntoCache } from "./fetching-into-cache.ts";
import type { BranchMove, CommitRequest, GitEngine } from "../git.ts";
import { isMissingObject } from "../objects/git-object.ts";
import { openHttpTransport } from "../wire/http-transport.ts";
import type { HttpTransport, HttpTransportOptions } from "../wire/http-transport.ts";
import { watchDamage } from "../local/watch-damage.ts";
import { openObjectCache } from "../local/object-cache.ts";
import type { ObjectCache } from "../local/object-cache.ts";
import { PieceDeflater } from "../objects/piece-deflater.ts";
import { buildPack } from "../wire/pack-file.ts";
import { largeBlobBytes } from "../wire/pack-limits.ts";
import type { PackLimits } from "../wire/pack-limits.ts";
import { expectedHead, prepareCommit, readRepository } from "../objects/read-repository.ts";
import { pushPack } from "../wire/receive-pack.ts";
import { makeUploadPack } from "../wire/upload-pack.ts";

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

/**
 * The default engine for http(s): own smart-HTTP requests into a bare cache that isomorphic-git reads. A cache that is
 * damaged is emptied and fetched again.
 * @throws E_DIR_LOCKED when another process uses `cacheDir`
 */
export async function openIsomorphicEngine(options: HttpEngineOptions): Promise<GitEngine> {
  const { cacheDir, url, random, limits } = options;
  const cache = await openObjectCache({ folder: cacheDir, url, random, ...(limits ? { limits } : {}) });
  try {
    return await createEngine(options, cache);
  } catch (error) {
    await cache.close();
    throw error;
  }
}

async function createEngine(options: HttpEngineOptions, cache: ObjectCache): Promise<GitEngine> {
  const { url, maximumEntries, maximumPackBytes = 256 * 1024 ** 2, maximumPacks = 300 } = options;
  const transport = openHttpTransport(options);
  const remote = makeUploadPack(transport, maximumPackBytes);
  const [work, deflater] = [makeCopyWork(), new PieceDeflater()];
  const damage: Damage = { isFound: false };
  const objects = watchDamage(cache.objects, () => (damage.isFound = true));
  const fetchHead = await fetchingIntoCache({ url, cache, remote, objects, work, damage, maximumPacks });

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
      damage.isFound = true;
    }
    return prepared.id;
  };

  return {
    url,
    ...readPartial(cache, readRepository(objects, maximumEntries), url),
    fetchHead: async (branch, signal) => {
      const ref = branchRef(branch);
      const recordDamage = (): void => void (damage.isFound = true);
      return work.inOrder(ref, () => fetchRepairing(() => fetchHead(ref, signal), recordDamage));
    },
    listBranches: (signal) => work.run(async () => branchesOf(await remote.readRefs(branchPrefix, signal))),
    commitAndPush: (request) => work.run(() => commitAndPush(request)),
    moveBranch: (move) => work.run(() => moveBranch({ transport, cache }, move)),
    deleteBranch: (branch, from, signal) =>
      work.run(() => moveBranch({ transport, cache }, { branch, from, ...(signal ? { signal } : {}) })),
    close: async () => {
      await transport.close();
      await work.whenIdle();
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
