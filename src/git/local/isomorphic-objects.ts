import git from "isomorphic-git";
import type { FsClient } from "isomorphic-git";
import type { AppError } from "../../core/errors.ts";
import {
  assertObjectId,
  canRead,
  isObjectType,
  missingObject,
  objectIdOf,
  objectTooLarge,
} from "../objects/git-object.ts";
import type { GitObject, NamedObject, ObjectReader } from "../objects/git-object.ts";
import { makeContentCache } from "../wire/content-cache.ts";
import { takeTurns } from "../wire/take-turns.ts";
import { readLooseObject } from "./loose-object.ts";
import { openPackedObjects } from "./packed-objects.ts";
import type { PartialFs } from "./partial-fs.ts";

export interface IsomorphicObjectsOptions {
  /** Repositories to search, one after the other: the first, and those that it borrows objects from. */
  readonly gitdirs: readonly string[];
  readonly fs: FsClient;
  /** Asked after the packs that are known and before `fs`: loose objects. */
  readonly before?: readonly PartialFs[];
  /** The error for an object that is here and cannot be read, or does not match its name. */
  readonly damaged: (id: string, cause: unknown) => AppError;
}

export interface IsomorphicObjects extends ObjectReader {
  /** Drops everything held in memory: files were removed or replaced. */
  forget(): void;
  /** Takes in an object that this process has just stored: it is soon read again. */
  record(object: NamedObject): void;
}

// isomorphic-git keeps every object that it unpacked from a pack for as long as its cache lives.
const renewCacheAfterBytes = 64 * 1024 * 1024;

// Commits and trees of the last commits: each push reads those of the one before. The list of 100,000 records has 4 MiB.
const recentBytes = 8 * 1024 * 1024;
const leastWeight = 512;

// Packs can be replaced again while what replaced them is read.
const triesWhileRepacking = 4;

/**
 * Objects of SHA-1 repositories on disk. Those of packs that are known, and loose ones, are read by node:zlib; all others,
 * and what is damaged, by isomorphic-git. Each content is hashed and compared to its name.
 */
export function openIsomorphicObjects(options: IsomorphicObjectsOptions): IsomorphicObjects {
  const { gitdirs, fs, before = [], damaged } = options;
  const packed = openPackedObjects(gitdirs);
  let recent = makeContentCache<string, GitObject>(recentBytes, weightOf);
  let cache: object = {};
  let cachedBytes = 0;
  const forget = (): void => {
    cache = {};
    cachedBytes = 0;
    recent = makeContentCache<string, GitObject>(recentBytes, weightOf);
    packed.forget();
    for (const part of before) part.forget();
  };

  const readBy = async (client: FsClient, id: string): Promise<GitObject | undefined> => {
    for (const gitdir of gitdirs) {
      const object = await readFrom({ fs: client, gitdir, cache, id });
      if (object) return object;
    }
    return undefined;
  };

  const readOnce = async (id: string): Promise<GitObject | undefined> => {
    for (const { client } of before) {
      const object = await readBy(client, id);
      if (object) return object;
    }
    const object = await readBy(fs, id);
    // It is in a pack that was added since.
    if (object) {
      packed.forget();
      for (const part of before) part.forget();
    }
    return object;
  };

  const readRetrying = async (id: string): Promise<GitObject | undefined> => {
    for (let triesLeft = triesWhileRepacking; ; triesLeft--) {
      try {
        return await readOnce(id);
      } catch (cause) {
        // Native git may be repacking: what was remembered of the packs is wrong then, what is on disk is not.
        forget();
        if (triesLeft === 0) throw damaged(id, cause);
      }
    }
  };

  const read = inTurns(async (id: string): Promise<GitObject> => {
    assertObjectId(id, "sha1");
    const last = recent.get(id);
    if (last) return last;
    const known = (await packed.read(id)) ?? readLooseObject(gitdirs, id);
    // An object that is damaged in a pack may be whole elsewhere, and one that is damaged here is reported by another reader.
    if (known && objectIdOf(known.type, known.content, "sha1") === id) {
      if (known.type !== "blob") recent.set(id, known);
      return known;
    }
    const object = await readRetrying(id);
    if (!object) throw missingObject(id);
    if (objectIdOf(object.type, object.content, "sha1") !== id) throw damaged(id, new Error("its hash is another"));
    cachedBytes += object.content.byteLength;
    if (cachedBytes > renewCacheAfterBytes) forget();
    return object;
  });

  return {
    format: "sha1",
    forget,
    record: ({ id, type, content }) => recent.set(id, { type, content }),
    read: async (id, maximumBytes) => {
      const object = await read(id);
      const sizeBytes = object.content.byteLength;
      if (maximumBytes !== undefined && sizeBytes > maximumBytes) throw objectTooLarge(id, sizeBytes, maximumBytes);
      return object;
    },
    has: (id) => canRead(id, read),
  };
}

/** Reading waits for nothing: who reads many objects, such as the commits of a branch, would hold all others. */
function inTurns(read: (id: string) => Promise<GitObject>): (id: string) => Promise<GitObject> {
  const turns = takeTurns("read objects", Infinity);
  return async (id) => {
    await turns.pass();
    return read(id);
  };
}

function weightOf({ content }: GitObject): number {
  return Math.max(leastWeight, content.byteLength);
}

async function readFrom(options: {
  readonly fs: FsClient;
  readonly gitdir: string;
  readonly cache: object;
  readonly id: string;
}): Promise<GitObject | undefined> {
  const { fs, gitdir, cache, id } = options;
  try {
    const result = await git.readObject({ fs, gitdir, cache, oid: id, format: "content" });
    if (result.format === "content" && isObjectType(result.type)) return { type: result.type, content: result.object };
    throw new Error(`an object of type ${result.type}`);
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError) return undefined;
    throw error;
  }
}
