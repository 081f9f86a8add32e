import { join } from "node:path";
import type { LocalRepository } from "./local-repository.ts";
import { entriesWith, headBytes, indexPathsIn, listFolder, readSortedIndex } from "./pack-lookup.ts";

/**
 * The ids of all objects that begin so (in lower case, at least two digits), loose and packed, with those that the repository
 * borrows. Source: git, gitformat-pack(5), "Version 2 pack-*.idx files".
 */
export function idsBeginningWith(
  beginning: string,
  { objectDirs, format }: Pick<LocalRepository, "objectDirs" | "format">,
): string[] {
  const firstTwo = beginning.slice(0, 2);
  const idBytes = format === "sha1" ? 20 : 32;
  const ids = objectDirs.flatMap((dir) => [
    ...listFolder(join(dir, "objects", firstTwo)).flatMap((name) =>
      /^[0-9a-f]+$/u.test(name) ? [firstTwo + name] : [],
    ),
    ...indexPathsIn(join(dir, "objects", "pack")).flatMap((path) => idsOfIndex(path, firstTwo, idBytes)),
  ]);
  return [...new Set(ids.filter((id) => id.startsWith(beginning)))];
}

/** Those whose first byte is this one; none of an index in another form. */
function idsOfIndex(path: string, firstByte: string, idBytes: number): string[] {
  const index = readSortedIndex(path);
  if (index === undefined) return [];
  const [start, end] = entriesWith(Number.parseInt(firstByte, 16), index);
  const ids: string[] = [];
  for (let at = headBytes + start * idBytes; at < Math.min(headBytes + end * idBytes, index.length); at += idBytes)
    ids.push(index.toString("hex", at, at + idBytes));
  return ids;
}
