import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ObjectFormat } from "../objects/git-object.ts";
import type { LocalRepository } from "./local-repository.ts";

/** Of an index of version 2, in front of its ids: what it is, and how many begin with each byte or a lower one. */
const headBytes = 8 + 256 * 4;

/**
 * The ids of all objects that begin so (in lower case, at least two digits), loose and packed, with those that the repository
 * borrows. Source: git, gitformat-pack(5), "Version 2 pack-*.idx files".
 */
export function idsBeginningWith(
  beginning: string,
  { objectDirs, format }: Pick<LocalRepository, "objectDirs" | "format">,
): string[] {
  const found = new Set<string>();
  const firstTwo = beginning.slice(0, 2);
  for (const dir of objectDirs) {
    for (const name of listFolder(join(dir, "objects", firstTwo))) {
      const id = firstTwo + name;
      if (id.startsWith(beginning) && /^[0-9a-f]+$/u.test(name)) found.add(id);
    }
    const packs = join(dir, "objects", "pack");
    for (const name of listFolder(packs).filter((each) => each.endsWith(".idx")))
      for (const id of idsOfIndex(readFileSync(join(packs, name)), firstTwo, format))
        if (id.startsWith(beginning)) found.add(id);
  }
  return [...found];
}

/** Those whose first byte is this one; none of an index in another form. */
function idsOfIndex(index: Buffer, firstByte: string, format: ObjectFormat): string[] {
  const idBytes = format === "sha1" ? 20 : 32;
  if (index.length < headBytes || index.readUInt32BE(0) !== 0xff744f63 || index.readUInt32BE(4) !== 2) return [];
  const first = Number.parseInt(firstByte, 16);
  const start = first === 0 ? 0 : index.readUInt32BE(8 + (first - 1) * 4);
  const end = index.readUInt32BE(8 + first * 4);
  const ids: string[] = [];
  for (let at = headBytes + start * idBytes; at < Math.min(headBytes + end * idBytes, index.length); at += idBytes)
    ids.push(index.toString("hex", at, at + idBytes));
  return ids;
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A repository without such objects need not have the folder.
    return [];
  }
}
