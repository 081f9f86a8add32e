import type { ObjectFormat } from "./git-object.ts";

/** Modes of a plain and of an executable file, with the blank after them. A file that is replaced keeps its mode. */
const fileModes = [Buffer.from("100644 "), Buffer.from("100755 ")];
const modeBytes = 7;

/**
 * The content of a tree object in which files have other blobs; all other bytes are the same. Undefined when one of the
 * names is no file of the tree, or when the tree has another form than expected: then it must be parsed.
 * `ids`: the new blob of each file, in hex, by the exact bytes of its name (`TreeEntry.rawName`).
 */
export function replaceInTree(
  content: Uint8Array,
  ids: ReadonlyMap<string, string>,
  format: ObjectFormat,
): Buffer | undefined {
  const idBytes = format === "sha1" ? 20 : 32;
  const tree = Buffer.from(content);
  const wanted = wantedNames(ids);
  for (let start = 0; start < tree.length;) {
    let end = start;
    let digest = 0;
    // No call and no new object for a name: a tree has those of all clusters.
    for (; end < tree.length && tree[end] !== 0; end++)
      if (end >= start + modeBytes) digest = (digest * 31 + (tree[end] ?? 0)) & digestMask;
    const next = end + 1 + idBytes;
    if (next > tree.length) return undefined;
    const names = wanted.get(digest);
    const found = names && findName(names, tree, { start: start + modeBytes, end });
    if (found) {
      if (found.isReplaced || !isFile(tree, start)) return undefined;
      tree.write(found.id, end + 1, "hex");
      found.isReplaced = true;
    }
    start = next;
  }
  const isWhole = [...wanted.values()].every((names) => [...names.values()].every(({ isReplaced }) => isReplaced));
  return isWhole ? tree : undefined;
}

interface WantedName {
  readonly bytes: Buffer;
  readonly id: string;
  isReplaced: boolean;
}

/** Keeps a digest among the numbers that need no memory of their own. */
const digestMask = 0x3fffff;

type WantedNames = ReadonlyMap<string, WantedName>;

/** By the digest of the name's bytes, which distinguishes most names. */
function wantedNames(ids: ReadonlyMap<string, string>): ReadonlyMap<number, WantedNames> {
  const wanted = new Map<number, Map<string, WantedName>>();
  for (const [rawName, id] of ids) {
    const entry = { bytes: Buffer.from(rawName, "latin1"), id, isReplaced: false };
    let digest = 0;
    for (const byte of entry.bytes) digest = (digest * 31 + byte) & digestMask;
    const others = wanted.get(digest);
    if (others) others.set(rawName, entry);
    else wanted.set(digest, new Map([[rawName, entry]]));
  }
  return wanted;
}

/** The name at this place of a tree, if it is one of these. */
function findName(
  names: WantedNames,
  tree: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
): WantedName | undefined {
  // An entry may be shorter than the mode of a file.
  if (start >= end) return undefined;
  // The author of a file could choose names of one digest.
  if (names.size > 1) return names.get(tree.toString("latin1", start, end));
  const [first] = names.values();
  if (first === undefined) return undefined;
  return tree.compare(first.bytes, 0, first.bytes.length, start, end) === 0 ? first : undefined;
}

function isFile(tree: Buffer, start: number): boolean {
  return fileModes.some((mode) => tree.compare(mode, 0, modeBytes, start, start + modeBytes) === 0);
}
