import * as fs from "node:fs";
import type { Clock, Random } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { isDiskFull } from "../../core/is-disk-full.ts";
import { nativeRemedy } from "../native-remedy.ts";
import { branchesOf, branchRef } from "../branch-name.ts";
import { fileErrorCode } from "../local/durable-files.ts";
import type { BranchMove, CommitRequest, GitEngine } from "../git.ts";
import { malformedObject } from "../objects/git-object.ts";
import type { NewObject } from "../objects/git-object.ts";
import { openIsomorphicObjects } from "../local/isomorphic-objects.ts";
import type { IsomorphicObjects } from "../local/isomorphic-objects.ts";
import { deleteLocalRef, removeOldScratch, scratchName, updateLocalRef } from "../local/local-ref-update.ts";
import { readLocalBranches, readLocalRef } from "../local/local-refs.ts";
import { checkedOutRefs, isGitDir, locateRepository } from "../local/local-repository.ts";
import { writeLooseObjects } from "../local/loose-objects.ts";
import { buildPack } from "../wire/pack-file.ts";
import { addPack } from "../local/pack-folder.ts";
import { PieceDeflater } from "../objects/piece-deflater.ts";
import { makeLooseOnlyFs } from "../local/partial-fs.ts";
import { expectedHead, prepareCommit, readCommit, readRepository } from "../objects/read-repository.ts";
import { pushRace } from "../wire/receive-pack.ts";
import { makeSerialWork } from "./serial-work.ts";

/** What this process has made is stored whole. */
const ownPackLimits = { maximumObjectBytes: Infinity, maximumBlobBytes: Infinity, maximumInflatedBytes: Infinity };

export interface LocalEngineOptions {
  /** A repository's folder: bare, a work tree's root or a linked work tree. */
  readonly path: string;
  /** Shown in messages. Default the path. */
  readonly url?: string;
  readonly clock: Clock;
  readonly random: Random;
  /** See {@link readRepository}. */
  readonly maximumEntries?: number;
}

// Each loose object is brought to the disk by itself; a pack is brought there at once.
const looseObjectsAtMost = 64;

/**
 * The engine for a repository in a folder of this machine: it reads and writes there, without a copy, beside native git.
 * Hooks, filters and the repository's configuration play no part.
 * @throws E_GIT_FOLDER when there is no repository; E_UNSUPPORTED for SHA-256 ids and for other refs than files
 */
export async function openLocalEngine(options: LocalEngineOptions): Promise<GitEngine> {
  const { path, url = path, clock, random, maximumEntries } = options;
  const repository = await locateRepository(path);
  const { commonDir, format, refStorage, objectDirs } = repository;
  if (format !== "sha1" || refStorage !== "files") {
    const what = format === "sha1" ? `refs as ${refStorage}` : "objects by SHA-256";
    const text = `open ${url}: it names ${what}, which needs the native back-end`;
    throw new AppError("E_UNSUPPORTED", text, { remedy: nativeRemedy });
  }
  await removeOldScratch(commonDir, clock);
  const place = { commonDir, url };
  const before = [makeLooseOnlyFs()];
  const objects = whileThere(openIsomorphicObjects({ gitdirs: objectDirs, fs, before, damaged }), place);
  const serial = makeSerialWork();
  const deflater = new PieceDeflater();

  const storeObjects = async (added: readonly NewObject[]): Promise<void> => {
    if (added.length <= looseObjectsAtMost) return writeLooseObjects(commonDir, added, { random, deflater });
    await addPack(commonDir, buildPack(added, { deflater }), {
      scratchName: scratchName(random),
      limits: ownPackLimits,
    });
  };

  const assertNotCheckedOut = async (ref: string): Promise<void> => {
    if (!(await checkedOutRefs(repository)).includes(ref)) return;
    throw new AppError("E_GIT_PUSH_DENIED", `push ${ref} to ${url}: a work tree has it checked out`, { data: { ref } });
  };

  const commitAndPush = async (request: CommitRequest): Promise<string> => {
    const ref = branchRef(request.branch);
    const { parent, signal } = request;
    const prepared = await prepareCommit(objects, request);
    if (!prepared) return parent ?? "";
    const expected = expectedHead(request);
    const actual = await readRef(place, ref);
    if (actual !== expected) throw pushRace({ ref, url, expected, actual });
    await assertNotCheckedOut(ref);
    await asDenied(ref, url, () => storeObjects(prepared.objects));
    const update = { commonDir, ref, oldId: expected, newId: prepared.id, clock, random };
    await asDenied(ref, url, () => updateLocalRef({ ...update, ...(signal ? { signal } : {}) }));
    for (const object of prepared.objects) if (object.type !== "blob") objects.record(object);
    return prepared.id;
  };

  /** Without `to`, the branch is deleted. */
  const moveBranch = async ({ branch, from, to, signal }: Partial<BranchMove> & Pick<BranchMove, "branch">) => {
    const ref = branchRef(branch);
    const actual = await readRef(place, ref);
    if (to === undefined && actual === undefined) return;
    if (actual !== from) throw pushRace({ ref, url, expected: from, actual });
    await assertNotCheckedOut(ref);
    if (to !== undefined) await readCommit(objects, to);
    const update = { commonDir, ref, oldId: from, clock, random, ...(signal ? { signal } : {}) };
    await asDenied(ref, url, () =>
      to === undefined ? deleteLocalRef(update) : updateLocalRef({ ...update, newId: to }),
    );
  };

  return {
    url,
    ...readRepository(objects, maximumEntries),
    fetchHead: async (branch, signal) => {
      signal?.throwIfAborted();
      const head = await readRef(place, branchRef(branch));
      if (head !== undefined) await readCommit(objects, head);
      return head;
    },
    listBranches: async (signal) => {
      signal?.throwIfAborted();
      return branchesOf(await readBranches(place));
    },
    commitAndPush: (request) => serial.run(() => commitAndPush(request)),
    moveBranch: (move) => serial.run(() => moveBranch(move)),
    deleteBranch: (branch, from, signal) =>
      serial.run(() => moveBranch({ branch, from, ...(signal ? { signal } : {}) })),
    close: () => serial.whenIdle(),
  };
}

interface Place {
  readonly commonDir: string;
  readonly url: string;
}

/** Where a ref is. @throws E_GIT_REMOTE for a repository that has gone, as with its volume: it looks like one without refs */
async function readRef(place: Place, ref: string): Promise<string | undefined> {
  const id = await readLocalRef(place.commonDir, ref);
  if (id === undefined) await assertThere(place);
  return id;
}

async function readBranches(place: Place): Promise<Map<string, string>> {
  const branches = await readLocalBranches(place.commonDir);
  if (branches.size === 0) await assertThere(place);
  return branches;
}

/** An object that cannot be read is missing only where the repository is there. */
function whileThere(objects: IsomorphicObjects, place: Place): IsomorphicObjects {
  return {
    ...objects,
    read: async (id, maximumBytes) => {
      try {
        return await objects.read(id, maximumBytes);
      } catch (error) {
        await assertThere(place);
        throw error;
      }
    },
  };
}

async function assertThere({ commonDir, url }: Place): Promise<void> {
  if (!(await isGitDir(commonDir))) throw new AppError("E_GIT_REMOTE", `read ${url}: it is not there`);
}

function damaged(id: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : "unreadable";
  return new AppError("E_GIT_OBJECT", malformedObject(id, reason).message, { cause, data: { id } });
}

/** A repository that cannot be written (rights, a full disk, a read-only mount) refuses the push. */
async function asDenied<T>(ref: string, url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = fileErrorCode(error);
    if (error instanceof AppError || code === undefined) throw error;
    const options = { cause: error, data: { ref }, ...remedyOf(error, code) };
    throw new AppError("E_GIT_PUSH_DENIED", `push ${ref} to ${url}: ${code}`, options);
  }
}

/** A folder has no credential and no rule of protection. */
function remedyOf(error: unknown, code: string): { readonly remedy?: string } {
  if (isDiskFull(error)) return { remedy: "Free space on the disk of the repository." };
  if (!["EACCES", "EPERM", "EROFS"].includes(code)) return {};
  return { remedy: "Let this user write to the folder of the repository." };
}
