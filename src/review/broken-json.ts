import type { Commit } from "../git/git.ts";
import type { ParsedFile } from "../model/source.ts";
import { longestSearch, parentOf } from "./last-good.ts";
import type { FileOptions } from "./read-file.ts";
import { isPlainFile, parseBlob, readFileAt } from "./read-file.ts";

/**
 * The file. JSON that cannot be read, and declared something as `former`, has a problem that reports this. Other unreadable
 * JSON is of another program, and is nothing to report.
 */
export function withBrokenJson(file: ParsedFile, former: ParsedFile | undefined): ParsedFile {
  if (file.isUnreadable !== true || former === undefined || !declares(former)) return file;
  return {
    ...file,
    isUnidentified: true,
    problems: [
      {
        code: "E_YAML",
        severity: "error",
        file: file.path,
        line: 1,
        column: 1,
        message: "the file is no JSON that can be read, and it declared objects before",
        fix: "Correct the file, or delete it if it shall declare nothing.",
      },
    ],
  };
}

/**
 * Those of these unreadable files that declared something, found by history alone, as a process finds it that has read nothing
 * before. What counts is the newest version that could be read, since the applied commit or in it: a commit after that may have
 * added the file, and its objects are on the hub although an error elsewhere keeps that commit from being the applied one.
 */
export async function findBrokenJson(
  files: readonly ParsedFile[],
  { head, baseCommit }: { readonly head: Commit; readonly baseCommit: string | undefined },
  options: FileOptions,
): Promise<readonly ParsedFile[]> {
  // Without an applied commit, nothing is removed.
  if (baseCommit === undefined) return [];
  const open = new Map(files.map((file) => [file.path, file]));
  const found: ParsedFile[] = [];
  const settle = (file: ParsedFile, former: ParsedFile | undefined): void => {
    open.delete(file.path);
    const now = withBrokenJson(file, former);
    if (now !== file) found.push(now);
  };
  let newer = head;
  for (let steps = 1; steps <= longestSearch && open.size > 0 && newer.id !== baseCommit; steps += 1) {
    const older = await parentOf(newer, options.git);
    if (older === undefined) break;
    for (const { path, before } of older.changes) {
      const file = open.get(path);
      if (file === undefined) continue;
      if (before === undefined || before.mode === "submodule") settle(file, undefined);
      else if (isPlainFile(before)) {
        const former = await parseBlob(before, options);
        if (former.isUnreadable !== true) settle(file, former);
      }
    }
    newer = older.commit;
  }
  for (const file of [...open.values()]) settle(file, await readFileAt(baseCommit, file.path, options));
  return found;
}

function declares({ documents, brokenObjects, isUnidentified }: ParsedFile): boolean {
  return documents.length + brokenObjects.length > 0 || isUnidentified;
}
