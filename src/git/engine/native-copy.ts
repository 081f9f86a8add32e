import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { Random } from "../../core/clock.ts";
import { fileErrorCode, writeFileDurably, readIfThere } from "../local/durable-files.ts";
import { temporaryName } from "../local/folder-lock.ts";
import type { NewObject, ObjectFormat } from "../objects/git-object.ts";
import { missingObject } from "../objects/git-object.ts";
import { PieceDeflater } from "../objects/piece-deflater.ts";
import { writeLooseObjects } from "../local/loose-objects.ts";
import type { NativeGit, NativeResult } from "./native-git.ts";
import { openNativeObjects } from "./native-objects.ts";
import type { NativeObjects } from "./native-objects.ts";

export interface NativeCopyOptions {
  /** Locked by the caller. */
  readonly folder: string;
  /** The repository that it is a copy of. */
  readonly url: string;
  readonly git: NativeGit;
  readonly random: Random;
}

/** A bare copy of a remote repository that native git keeps. It is disposable. */
export interface NativeCopy {
  readonly gitDir: string;
  /** Reads from the copy as it is; while there is none, nothing is there. */
  readonly objects: NativeObjects;
  /** False until the first fetch has made it. */
  isThere(): boolean;
  /** Makes the copy if there is none, or one of another format. */
  prepare(format: ObjectFormat): Promise<void>;
  /** Where a branch was when it was last read. */
  readHead(ref: string): Promise<string | undefined>;
  writeHead(ref: string, id: string | undefined): Promise<void>;
  /** The ref in the copy for a branch of the remote. */
  localRefOf(ref: string): string;
  writeObjects(objects: readonly NewObject[]): Promise<void>;
  /** True when all that the branches reach is here. */
  isWhole(): Promise<boolean>;
  /** Deletes what a fetch that failed has left: a pack that is not complete may take all of the disk. */
  removeUnfinished(): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** Opens what an earlier run left, if it is of the same repository. */
export async function openNativeCopy({ folder, url, git, random }: NativeCopyOptions): Promise<NativeCopy> {
  const gitDir = join(folder, "repository.git");
  const markerPath = join(gitDir, "rollcall-source");
  let current: NativeObjects | undefined;

  const run = async (args: readonly string[]): Promise<NativeResult> => git.run({ args, gitDir });
  const runOrFail = async (args: readonly string[]): Promise<string> => {
    const { exitCode, output } = await run(args);
    if (exitCode === 0) return output;
    throw new AppError(
      "E_GIT_CORRUPT",
      `git ${args[0] ?? ""} in the copy of ${url}: it ended with ${exitCode ?? "a signal"}`,
    );
  };

  const empty = async (): Promise<void> => {
    await current?.stop();
    current = undefined;
    await rm(gitDir, { recursive: true, force: true });
  };

  const prepare = async (format: ObjectFormat): Promise<void> => {
    if (current?.format === format) return;
    await empty();
    const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, "--", gitDir];
    const { exitCode } = await git.run({ args });
    if (exitCode !== 0)
      throw new AppError("E_UNSUPPORTED", `make a copy of ${url}: this git cannot keep ${format} ids`, {
        remedy: "Install git 2.29 or newer where this runs.",
      });
    const temporaryPath = join(gitDir, temporaryName(random));
    await writeFileDurably(markerPath, markerOf(url, format), { temporaryPath });
    current = openNativeObjects(git, gitDir, format);
  };

  const deflater = new PieceDeflater();
  const marker = await readIfThere(markerPath);
  const format = (["sha1", "sha256"] as const).find((name) => marker === markerOf(url, name));
  if (format === undefined) await empty();
  else {
    await removeStaleLocks(gitDir);
    await removeUnfinishedPacks(gitDir);
    current = openNativeObjects(git, gitDir, format);
  }

  const localRefOf = (ref: string): string => `refs/cache/${createHash("sha256").update(ref).digest("hex")}`;
  return {
    gitDir,
    isThere: () => current !== undefined,
    prepare,
    empty,
    removeUnfinished: () => removeUnfinishedPacks(gitDir),
    localRefOf,
    objects: {
      get format() {
        return current?.format ?? "sha1";
      },
      read: async (id, maximumBytes) => {
        if (!current) throw missingObject(id);
        return current.read(id, maximumBytes);
      },
      has: async (id) => (current ? current.has(id) : false),
      stop: async () => current?.stop(),
    },
    readHead: async (ref) => {
      if (!current) return undefined;
      const output = await runOrFail(["for-each-ref", "--format=%(objectname)", localRefOf(ref)]);
      return output.trim() || undefined;
    },
    writeHead: async (ref, id) => {
      if (!current) return;
      await runOrFail(id === undefined ? ["update-ref", "-d", localRefOf(ref)] : ["update-ref", localRefOf(ref), id]);
    },
    writeObjects: (objects) => writeLooseObjects(gitDir, objects, { random, deflater }),
    isWhole: async () => (await run(["rev-list", "--objects", "--quiet", "--all"])).exitCode === 0,
    close: async () => current?.stop(),
  };
}

function markerOf(url: string, format: ObjectFormat): string {
  return `${format} ${url}\n`;
}

/** Lock files of a killed git. No other process uses the copy, so no process holds them. */
async function removeStaleLocks(gitDir: string): Promise<void> {
  for (const folder of [gitDir, join(gitDir, "refs", "cache")]) {
    await mkdir(folder, { recursive: true });
    const names = (await readdir(folder)).filter((name) => name.endsWith(".lock") || name === "gc.pid");
    for (const name of names) await rm(join(folder, name), { force: true });
  }
}

/** Source: git, index-pack and pack-objects, whose unfinished files are named tmp_pack_XXXXXX and tmp_idx_XXXXXX. */
async function removeUnfinishedPacks(gitDir: string): Promise<void> {
  const folder = join(gitDir, "objects", "pack");
  const names = await readdir(folder).catch((error: unknown) => {
    if (fileErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  for (const name of names) if (name.startsWith("tmp_")) await rm(join(folder, name), { force: true });
}
