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
    const end = tree.indexOf(0, start);
    const next = end + 1 + idBytes;
    if (end === -1 || next > tree.length) return undefined;
    const found = wanted
      .get(end - start - modeBytes)
      ?.find(({ name }) => tree.compare(name, 0, name.length, start + modeBytes, end) === 0);
    if (found) {
      if (found.isReplaced || !isFile(tree, start)) return undefined;
      tree.write(found.id, end + 1, "hex");
      found.isReplaced = true;
    }
    start = next;
  }
  return [...wanted.values()].flat().every(({ isReplaced }) => isReplaced) ? tree : undefined;
}

interface WantedName {
  readonly name: Buffer;
  readonly id: string;
  isReplaced: boolean;
}

/** By the number of bytes of the name. */
function wantedNames(ids: ReadonlyMap<string, string>): Map<number, WantedName[]> {
  const wanted = new Map<number, WantedName[]>();
  for (const [rawName, id] of ids) {
    const entry = { name: Buffer.from(rawName, "latin1"), id, isReplaced: false };
    const others = wanted.get(entry.name.length);
    if (others) others.push(entry);
    else wanted.set(entry.name.length, [entry]);
  }
  return wanted;
}

function isFile(tree: Buffer, start: number): boolean {
  return fileModes.some((mode) => tree.compare(mode, 0, modeBytes, start, start + modeBytes) === 0);
}
