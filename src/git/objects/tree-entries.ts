import { setImmediate } from "node:timers/promises";
import { compareText } from "../../core/compare-text.ts";
import { malformedObject } from "./git-object.ts";
import type { ObjectFormat } from "./git-object.ts";

/** One line of a tree object. */
export interface TreeEntry {
  /** The name's bytes, one character each: exact, unlike `name`, and good as a key. */
  readonly rawName: string;
  /** The name as text; bytes that are not UTF-8 show as U+FFFD. */
  readonly name: string;
  /** Octal, exactly as in the tree, so that an unchanged entry is written with the same bytes. */
  readonly modeText: string;
  readonly id: string;
}

export type EntryKind = "tree" | "file" | "executable" | "link" | "submodule";

/** More digits have no meaning: git reads a mode into 32 bits. */
const lastDigits = 11;

/** What an entry is. Unusual bits, and zeros in front, mean what they mean to git: cache.h, canon_mode. */
export function entryKind(entry: TreeEntry): EntryKind {
  const mode = Number.parseInt(entry.modeText.slice(-lastDigits), 8);
  switch (mode & 0o170000) {
    case 0o040000:
      return "tree";
    case 0o100000:
      return (mode & 0o100) === 0 ? "file" : "executable";
    case 0o120000:
      return "link";
    default:
      return "submodule";
  }
}

const isAscii = /^[\x20-\x7e]*$/u;

/** Others have their turn after so many entries: a tree of 64 MiB has two million. */
const entriesPerTurn = 10_000;

/** The entries of a tree object, in its order. @throws E_GIT_OBJECT when it is malformed */
export function parseTree(treeId: string, content: Uint8Array, format: ObjectFormat): TreeEntry[] {
  return [...readEntries(treeId, content, format)];
}

/** The same; others have their turn after each 10,000 entries. */
export async function parseTreeInTurns(
  treeId: string,
  content: Uint8Array,
  format: ObjectFormat,
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const entry of readEntries(treeId, content, format)) {
    entries.push(entry);
    if (entries.length % entriesPerTurn === 0) await setImmediate();
  }
  return entries;
}

function* readEntries(treeId: string, content: Uint8Array, format: ObjectFormat): Generator<TreeEntry, void> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const idBytes = format === "sha1" ? 20 : 32;
  let position = 0;
  while (position < bytes.length) {
    const space = bytes.indexOf(0x20, position);
    const end = bytes.indexOf(0, position);
    const modeText = space === -1 ? "" : bytes.toString("latin1", position, space);
    if (end === -1 || space > end || !/^[0-7]+$/u.test(modeText) || end + 1 + idBytes > bytes.length) {
      throw malformedObject(treeId, `no tree entry at byte ${position}`);
    }
    const rawName = bytes.toString("latin1", space + 1, end);
    yield {
      rawName,
      name: isAscii.test(rawName) ? rawName : bytes.toString("utf8", space + 1, end),
      modeText,
      id: bytes.toString("hex", end + 1, end + 1 + idBytes),
    };
    position = end + 1 + idBytes;
  }
}

/** The content of a tree object with these entries, in git's order (folders sort as if their name ended in a slash). */
export function formatTree(entries: Iterable<TreeEntry>): Buffer {
  const sorted = [...entries].sort((left, right) => compareText(sortKey(left), sortKey(right)));
  return Buffer.concat(
    sorted.flatMap(({ modeText, rawName, id }) => [
      Buffer.from(`${modeText} ${rawName}\0`, "latin1"),
      Buffer.from(id, "hex"),
    ]),
  );
}

/** The exact bytes of a name as text with one character each, as {@link TreeEntry.rawName} has it. */
export function rawNameOf(name: string): string {
  return Buffer.from(name, "utf8").toString("latin1");
}

function sortKey(entry: TreeEntry): string {
  return entryKind(entry) === "tree" ? `${entry.rawName}/` : entry.rawName;
}
