import { appendAll } from "../../core/append-all.ts";
import { readFile, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import { AppError } from "../../core/errors.ts";
import { trimEndOf } from "../../core/trim-characters.ts";
import { unreadable } from "../../core/unreadable.ts";
import { branchPrefix } from "../branch-name.ts";
import { fileErrorCode } from "./durable-files.ts";
import { targetOfRef } from "./local-refs.ts";
import type { ObjectFormat } from "../objects/git-object.ts";

/** A repository in a folder of this machine. */
export interface LocalRepository {
  /** Where refs and objects are; work trees of `git worktree` share it. */
  readonly commonDir: string;
  readonly format: ObjectFormat;
  /** `files`, or what git calls the way refs are stored otherwise (`reftable`). */
  readonly refStorage: string;
  /** Folders that hold an `objects` folder: the repository's, then those that it borrows from. */
  readonly objectDirs: readonly string[];
}

/**
 * Finds the repository at `path`: a bare one, a work tree's root, or a linked work tree.
 * @throws E_GIT_FOLDER when there is none; E_UNSUPPORTED for a partial clone, which would fetch what it lacks from
 * wherever its configuration points
 */
export async function locateRepository(path: string): Promise<LocalRepository> {
  const gitDir = await findGitDir(path);
  const commonDir = await readCommonDir(gitDir);
  const config = parseConfig((await textOf(join(commonDir, "config"))) ?? "");
  if (config.has("extensions.partialclone")) {
    const remedy = "Make a full clone: `git clone ADDRESS FOLDER`, without --filter.";
    throw new AppError("E_UNSUPPORTED", `open ${path}: it is a partial clone; use a full one`, { remedy });
  }
  return {
    commonDir,
    format: config.get("extensions.objectformat") === "sha256" ? "sha256" : "sha1",
    refStorage: config.get("extensions.refstorage") ?? "files",
    objectDirs: await findObjectDirs(commonDir),
  };
}

/** The branches that a work tree has checked out, by full ref: their work trees would not follow a push. */
export async function checkedOutRefs({ commonDir }: LocalRepository): Promise<string[]> {
  const config = parseConfig((await textOf(join(commonDir, "config"))) ?? "");
  // Source: git-worktree(1), Configuration File.
  const isDivided = isTrue(config.get("extensions.worktreeconfig"));
  const own = parseConfig((isDivided ? await textOf(join(commonDir, "config.worktree")) : undefined) ?? "");
  const isBare = isTrue(own.get("core.bare") ?? config.get("core.bare"));
  const linked = (await namesIn(join(commonDir, "worktrees"))).map((name) => join(commonDir, "worktrees", name));
  const heads = await Promise.all(
    [...(isBare ? [] : [commonDir]), ...linked].map((folder) => textOf(join(folder, "HEAD"))),
  );
  return heads.flatMap((head) => targetOfRef(head ?? "") ?? []).filter((ref) => ref.startsWith(branchPrefix));
}

/** The folder of the repository that `path` is, or is a work tree of. @throws E_GIT_FOLDER */
export async function findGitDir(path: string): Promise<string> {
  const dotGit = join(path, ".git");
  const kind = await kindOf(dotGit);
  if (kind === "folder" && (await isGitDir(dotGit))) return realpath(dotGit);
  if (kind === "file") {
    const target = /^gitdir: (.+?)\r?\n?$/u.exec((await textOf(dotGit)) ?? "")?.[1];
    if (target !== undefined) return realpath(resolve(path, target)).catch(() => notRepository(path));
  }
  return (await isGitDir(path)) ? realpath(path) : notRepository(path);
}

/**
 * The root of the work tree that a folder is in; undefined outside of any, and in a bare repository. One above the folder is this
 * user's own: in a folder that all may write to, another one could have put it there. Source: git-config(1), safe.directory.
 */
export async function workTreeOf(folder: string, user = process.getuid?.()): Promise<string | undefined> {
  if ((await kindOf(join(folder, ".git"))) !== undefined) return folder;
  if (await isGitDir(folder)) return undefined;
  const place = await ifThere(folder, realpath(folder));
  const root = place === undefined ? undefined : await workTreeAbove(place);
  if (root === undefined || user === undefined) return root;
  return (await stat(join(root, ".git"))).uid === user ? root : undefined;
}

/** Whether a folder is a repository itself, without a work tree: a bare one, or the `.git` of a work tree. */
export async function isGitDir(path: string): Promise<boolean> {
  if ((await kindOf(join(path, ".git"))) !== undefined) return false;
  return (await kindOf(join(path, "HEAD"))) === "file" && (await kindOf(join(path, "objects"))) === "folder";
}

async function notRepository(path: string): Promise<never> {
  throw new AppError("E_GIT_FOLDER", `open ${path}: ${await describeOther(path)}`);
}

/** What is where a repository is expected. */
async function describeOther(path: string): Promise<string> {
  const kind = await kindOf(path);
  if (kind !== "folder") return kind === "file" ? "it is no folder" : "it is not there";
  const root = await workTreeAbove(await realpath(path));
  return root === undefined ? "it is no git repository" : `it is a folder of the work tree ${root}; name that one`;
}

async function workTreeAbove(folder: string): Promise<string | undefined> {
  const parent = dirname(folder);
  if (parent === folder) return undefined;
  const dotGit = join(parent, ".git");
  // An empty folder of that name is what a clone that was stopped leaves.
  const isRoot = (await kindOf(dotGit)) === "file" || (await isGitDir(dotGit));
  return isRoot ? parent : workTreeAbove(parent);
}

async function readCommonDir(gitDir: string): Promise<string> {
  const text = await textOf(join(gitDir, "commondir"));
  return text === undefined ? gitDir : realpath(resolve(gitDir, trimEndOf(text, "\r\n")));
}

/** Follows objects/info/alternates, to the depth that git allows. Source: git, gitrepository-layout(5). */
async function findObjectDirs(commonDir: string, depth = 0): Promise<string[]> {
  const alternates = (await textOf(join(commonDir, "objects", "info", "alternates"))) ?? "";
  const found = [commonDir];
  for (const line of alternates.split("\n").filter((text) => text !== "" && !text.startsWith("#"))) {
    const objects = isAbsolute(line) ? line : resolve(commonDir, "objects", line);
    if (basename(objects) === "objects" && depth < 5)
      appendAll(found, await findObjectDirs(dirname(objects), depth + 1));
  }
  return found;
}

/** The few plain `key = value` lines that matter here, in lower case, as `section.key`. No include or subsection is followed. */
function parseConfig(text: string): Map<string, string> {
  const values = new Map<string, string>();
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^\s*\[(?<name>[^\]"]+)\]/u.exec(line)?.groups?.name;
    const other = /^\s*\[/u.test(line);
    if (other) section = heading?.toLowerCase() ?? "";
    const setting = /^\s*(?<key>[A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(?<value>[^#;]*))?/u.exec(line)?.groups;
    if (!other && setting?.key !== undefined && section !== "") {
      const value = setting.value?.trim().replace(/^"(.*)"$/u, "$1");
      values.set(`${section}.${setting.key.toLowerCase()}`, value?.toLowerCase() ?? "true");
    }
  }
  return values;
}

/** The values that git takes for true, and every number but 0. Source: git-config(1), Values. */
function isTrue(value = ""): boolean {
  return ["true", "yes", "on"].includes(value) || (/^[+-]?\d+$/u.test(value) && Number(value) !== 0);
}

async function kindOf(path: string): Promise<"folder" | "file" | undefined> {
  const found = await ifThere(path, stat(path));
  return found?.isDirectory() === true ? "folder" : found?.isFile() === true ? "file" : undefined;
}

function textOf(path: string): Promise<string | undefined> {
  return ifThere(path, readFile(path, "utf8"));
}

async function namesIn(path: string): Promise<string[]> {
  return (await ifThere(path, readdir(path))) ?? [];
}

async function ifThere<T>(path: string, pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(fileErrorCode(error) ?? "")) return undefined;
    // Of the daemon's own repository: it may become readable again.
    throw fileErrorCode(error) === undefined ? error : unreadable(path, error, "transient");
  }
}
