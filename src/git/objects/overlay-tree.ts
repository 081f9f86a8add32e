import { blobIdOfBytes } from "../../core/blob-id.ts";
import type { Chunks } from "../../core/chunks.ts";
import { AppError } from "../../core/errors.ts";
import type { NewContent } from "../git.ts";
import { emptyTreeIds, nameObject } from "./git-object.ts";
import type { NewObject, ObjectFormat } from "./git-object.ts";
import { replaceInTree } from "./replace-in-tree.ts";
import { entryKind, formatTree, parseTree, rawNameOf } from "./tree-entries.ts";
import type { TreeEntry } from "./tree-entries.ts";
import { isUnsafeName } from "./unsafe-name.ts";

export interface OverlaidTree {
  readonly treeId: string;
  /** The blobs and trees that the new tree adds; some may be in the repository already. */
  readonly objects: readonly NewObject[];
}

/** Changes of one folder: a name's own new content, or changes below it. */
interface FolderChanges {
  readonly files: Map<string, NewContent>;
  readonly folders: Map<string, FolderChanges>;
}

/** The content of a tree object. */
type ReadTreeContent = (treeId: string) => Promise<Uint8Array>;

interface Overlay {
  readonly readTree: ReadTreeContent;
  readonly format: ObjectFormat;
  readonly objects: Map<string, NewObject>;
}

/**
 * A tree with `changes` laid over it: null removes, an empty folder is removed, all other entries stay bit for bit. An
 * executable file that is overwritten stays executable; a link or submodule is replaced by the file, never followed.
 * Only folders on the way to a change are read.
 * @throws E_UNSAFE_PATH for a path that has no place in a tree; E_USAGE when one path is both file and folder
 */
export async function overlayTree(options: {
  readonly baseTreeId: string | undefined;
  readonly changes: ReadonlyMap<string, NewContent>;
  readonly readTree: ReadTreeContent;
  readonly format: ObjectFormat;
}): Promise<OverlaidTree> {
  const { baseTreeId, changes, readTree, format } = options;
  const overlay: Overlay = { readTree, format, objects: new Map() };
  const treeId = await overlayFolder(baseTreeId, groupByFolder(changes), overlay);
  if (treeId === undefined) {
    const empty = nameObject("tree", new Uint8Array(), format);
    return { treeId: emptyTreeIds[format], objects: [empty] };
  }
  return { treeId, objects: [...overlay.objects.values()] };
}

/** The id of the new tree; undefined when it would be empty. */
async function overlayFolder(
  baseTreeId: string | undefined,
  changes: FolderChanges,
  overlay: Overlay,
): Promise<string | undefined> {
  const base = baseTreeId === undefined ? new Uint8Array() : await overlay.readTree(baseTreeId);
  const replaced = replaceFiles(base, changes, overlay);
  if (replaced) {
    for (const object of replaced.id === baseTreeId ? [] : replaced.objects) overlay.objects.set(object.id, object);
    return replaced.id;
  }
  const before = baseTreeId === undefined ? [] : parseTree(baseTreeId, base, overlay.format);
  const entries = new Map(before.map((entry) => [entry.rawName, entry]));
  for (const [name, content] of changes.files) {
    const rawName = rawNameOf(name);
    if (content === null) entries.delete(rawName);
    else entries.set(rawName, overlayFile(name, content, entries.get(rawName), overlay));
  }
  for (const [name, below] of changes.folders) {
    const rawName = rawNameOf(name);
    const old = entries.get(rawName);
    const oldTreeId = old && entryKind(old) === "tree" ? old.id : undefined;
    const newTreeId = await overlayFolder(oldTreeId, below, overlay);
    if (newTreeId !== undefined) entries.set(rawName, { rawName, name, modeText: "40000", id: newTreeId });
    else if (oldTreeId !== undefined) entries.delete(rawName);
  }
  if (entries.size === 0) return undefined;
  const tree = nameObject("tree", formatTree(entries.values()), overlay.format);
  if (tree.id !== baseTreeId) overlay.objects.set(tree.id, tree);
  return tree.id;
}

/** The tree, when all that changes is the content of files that are there: most of a large tree is only copied then. */
function replaceFiles(
  content: Uint8Array,
  changes: FolderChanges,
  { format }: Overlay,
): { readonly id: string; readonly objects: readonly NewObject[] } | undefined {
  if (content.length === 0 || changes.files.size === 0 || changes.folders.size > 0) return undefined;
  const blobs = new Map<string, NewObject>();
  for (const [name, text] of changes.files) {
    if (text === null) return undefined;
    blobs.set(rawNameOf(name), blobOf(text, format));
  }
  const ids = new Map([...blobs].map(([rawName, { id }]) => [rawName, id]));
  const replaced = replaceInTree(content, ids, format);
  if (replaced === undefined) return undefined;
  const tree = nameObject("tree", replaced, format);
  return { id: tree.id, objects: [...blobs.values(), tree] };
}

function blobOf(content: string | Uint8Array | Chunks, format: ObjectFormat): NewObject {
  if (typeof content === "string") return nameObject("blob", Buffer.from(content, "utf8"), format);
  return { type: "blob", content, id: blobIdOfBytes(content, format) };
}

function overlayFile(
  name: string,
  content: string | Uint8Array | Chunks,
  old: TreeEntry | undefined,
  overlay: Overlay,
): TreeEntry {
  const blob = blobOf(content, overlay.format);
  const oldKind = old && entryKind(old);
  if (blob.id !== old?.id) overlay.objects.set(blob.id, blob);
  const keptMode = oldKind === "file" || oldKind === "executable" ? old?.modeText : undefined;
  return { rawName: rawNameOf(name), name, modeText: keptMode ?? "100644", id: blob.id };
}

function groupByFolder(changes: ReadonlyMap<string, NewContent>): FolderChanges {
  const root: FolderChanges = { files: new Map(), folders: new Map() };
  for (const [path, content] of changes) {
    const parts = path.split("/");
    if (parts.some(isUnsafeName)) {
      throw new AppError("E_UNSAFE_PATH", `commit ${JSON.stringify(path)}: no path of a file in a repository`);
    }
    const name = parts.pop() ?? "";
    const folder = parts.reduce((current, part) => folderBelow(current, part), root);
    folder.files.set(name, content);
  }
  assertNoOverlap(root, "");
  return root;
}

function folderBelow(folder: FolderChanges, name: string): FolderChanges {
  const known = folder.folders.get(name);
  if (known) return known;
  const made: FolderChanges = { files: new Map(), folders: new Map() };
  folder.folders.set(name, made);
  return made;
}

/** A path may be removed as a file and filled as a folder at once, but not be given content as both. */
function assertNoOverlap(folder: FolderChanges, path: string): void {
  for (const [name, below] of folder.folders) {
    const belowPath = path === "" ? name : `${path}/${name}`;
    if ((folder.files.get(name) ?? null) !== null) {
      throw new AppError("E_USAGE", `commit ${JSON.stringify(belowPath)}: given as a file and as a folder`);
    }
    assertNoOverlap(below, belowPath);
  }
}
