import { readFile } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { appendAll } from "../../core/append-all.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { unreadable } from "../../core/unreadable.ts";
import { fileErrorCode } from "./durable-files.ts";
import { parsePackedRefs } from "./packed-refs.ts";

/**
 * Where a ref of a local repository is, read from disk each time: native git and others write there too.
 * @throws E_GIT_OBJECT when the ref's file is damaged (a power cut can leave it empty); E_GIT_REMOTE when unreadable
 */
export async function readLocalRef(commonDir: string, ref: string, depth = 0): Promise<string | undefined> {
  const text = await readRefFile(join(commonDir, ref));
  if (text === undefined) return (await readPackedRefs(commonDir)).get(ref);
  const id = /^([0-9a-f]{40}|[0-9a-f]{64})(?:\s|$)/u.exec(text)?.[1];
  if (id !== undefined) return id;
  const target = targetOfRef(text);
  if (target === undefined || target.includes("..") || depth >= 5) {
    throw new AppError("E_GIT_OBJECT", `read ${ref} of ${commonDir}: its file is damaged`, { data: { ref } });
  }
  return readLocalRef(commonDir, target, depth + 1);
}

/** The ref that the text of HEAD, or of a symbolic ref, names. A name may end in a space that is none of ASCII. */
export function targetOfRef(text: string): string | undefined {
  return /^ref:[ \t]*(refs\/[^ \t\r\n]+)[ \t\r\n]*$/u.exec(text)?.[1];
}

/** True when a ref points to another ref (`git symbolic-ref`). */
export async function isSymbolicRef(commonDir: string, ref: string): Promise<boolean> {
  return (await readRefFile(join(commonDir, ref)))?.startsWith("ref:") === true;
}

/**
 * All branches of a local repository and where they are. Damaged ones are left out. Files of refs are read before the
 * packed ones, as git does: one that is packed meanwhile is found there. Source: git, refs/files-backend.c.
 */
export async function listLocalBranches(commonDir: string): Promise<Map<string, string>> {
  return (await listBranchesAndFolders(commonDir)).branches;
}

/** The same, and the folders in which branches can be, the outermost first. */
export async function listBranchesAndFolders(
  commonDir: string,
): Promise<{ readonly branches: Map<string, string>; readonly folders: readonly string[] }> {
  const heads = join(commonDir, "refs", "heads");
  const { files, folders } = await listRefEntries(heads);
  const branches = new Map<string, string>();
  for (const name of files) {
    const ref = `refs/heads/${name}`;
    const text = await readRefFile(join(commonDir, ref));
    if (text !== undefined) branches.set(ref, text.trim());
  }
  for (const [ref, id] of await readPackedRefs(commonDir)) {
    if (ref.startsWith("refs/heads/") && !branches.has(ref)) branches.set(ref, id);
  }
  return { branches, folders: [heads, ...folders.map((name) => join(heads, name))] };
}

/** All branches, with symbolic refs (`git symbolic-ref`) resolved. */
export async function readLocalBranches(commonDir: string): Promise<Map<string, string>> {
  const branches = await listLocalBranches(commonDir);
  for (const [ref, text] of branches) {
    if (!text.startsWith("ref:")) continue;
    const id = await readLocalRef(commonDir, ref).catch((error: unknown) => {
      if (isAppError(error, "E_GIT_OBJECT")) return undefined;
      throw error;
    });
    if (id === undefined) branches.delete(ref);
    else branches.set(ref, id);
  }
  return branches;
}

/** Refs in the way of a new one: a branch `a` and a branch `a/b` cannot both be. */
export async function conflictingRef(commonDir: string, ref: string): Promise<string | undefined> {
  const branches = await listLocalBranches(commonDir);
  return [...branches.keys()].find((other) => ref.startsWith(`${other}/`) || other.startsWith(`${ref}/`));
}

async function readPackedRefs(commonDir: string): Promise<Map<string, string>> {
  return parsePackedRefs((await readRefFile(join(commonDir, "packed-refs"))) ?? "");
}

const readFileText = promisify(readFile);

async function readRefFile(path: string): Promise<string | undefined> {
  try {
    return await readFileText(path, "utf8");
  } catch (error) {
    const code = fileErrorCode(error);
    // A folder: refs below one that was deleted.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return undefined;
    throw unreadable(path, error, "transient");
  }
}

interface RefEntries {
  /** Relative to the folder that was listed. */
  readonly files: string[];
  readonly folders: string[];
}

/** All below a folder. Each folder is read by itself: they come and go with their branches. */
async function listRefEntries(folder: string, prefix = ""): Promise<RefEntries> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(fileErrorCode(error) ?? "")) return [];
    throw unreadable(folder, error, "transient");
  });
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of entries) {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      const below = await listRefEntries(join(folder, entry.name), `${name}/`);
      folders.push(name);
      appendAll(folders, below.folders);
      appendAll(files, below.files);
    } else if (entry.isFile() && !entry.name.endsWith(".lock")) files.push(name);
  }
  return { files, folders };
}
