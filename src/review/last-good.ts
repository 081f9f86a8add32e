import { isAppError } from "../core/errors.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../git/git.ts";
import type { ParsedFile } from "../model/source.ts";
import type { FileOptions } from "./read-file.ts";
import { hasErrors, parseBlob, readFileAt } from "./read-file.ts";

export interface LastGoodOptions extends FileOptions {
  /**
   * Whether a listed key vouches for the form that a file has in a commit: others are never its last good version. Default: no
   * signatures are asked for.
   */
  readonly isVouched?: (commit: string, path: string) => Promise<boolean>;
}

export interface LastGoodPlace {
  readonly head: Commit;
  /** What was read of a commit before: what it found is taken over. */
  readonly previous:
    | {
        readonly commit: Pick<Commit, "id">;
        readonly parsed: ReadonlyMap<string, ParsedFile>;
        readonly lastGood: ReadonlyMap<string, ParsedFile>;
      }
    | undefined;
  /** The applied commit: where history ends early, it has the last version that was good. */
  readonly baseCommit: string | undefined;
}

/** How many earlier heads of a branch are searched at most. */
const longestSearch = 1000;

/**
 * Of each file with errors the newest version without, among the commits that were the branch's head before: it depends on
 * history alone, so a restart and a plan from outside come to the same. History is walked once for all files, by what each
 * commit changed.
 */
export async function findLastGood(
  parsed: ReadonlyMap<string, ParsedFile>,
  { head, previous, baseCommit }: LastGoodPlace,
  options: LastGoodOptions,
): Promise<Map<string, ParsedFile>> {
  const lastGood = new Map<string, ParsedFile>();
  /** Files whose last good version is not known yet. */
  const open = new Set([...parsed.values()].filter(hasErrors).map(({ path }) => path));
  const settle = (path: string, good: ParsedFile | undefined): void => {
    open.delete(path);
    if (good !== undefined) lastGood.set(path, good);
  };
  let newer = head;
  for (let steps = 1; steps <= longestSearch && open.size > 0; steps += 1) {
    if (previous !== undefined && newer.parents[0] === previous.commit.id) {
      for (const path of open) settle(path, knownGood(path, previous));
      break;
    }
    const older = await parentOf(newer, options.git);
    if (older === undefined) break;
    for (const { path, before } of older.changes) {
      if (!open.has(path)) continue;
      // What was deleted before it came back has nothing to keep.
      if (before === undefined) settle(path, undefined);
      else {
        const good = await goodVersion(before, older.commit.id, options);
        if (good !== undefined) settle(path, good);
      }
    }
    newer = older.commit;
  }
  if (baseCommit === undefined) return lastGood;
  for (const path of open) {
    const atBase = await readFileAt(baseCommit, path, options);
    settle(path, atBase === undefined || hasErrors(atBase) ? undefined : atBase);
  }
  return lastGood;
}

function knownGood(path: string, previous: NonNullable<LastGoodPlace["previous"]>): ParsedFile | undefined {
  const before = previous.parsed.get(path);
  return before && hasErrors(before) ? previous.lastGood.get(path) : before;
}

async function goodVersion(file: TreeFile, commit: string, options: LastGoodOptions): Promise<ParsedFile | undefined> {
  const candidate = await parseBlob(file, options);
  if (hasErrors(candidate) || candidate.isUnreadable === true) return undefined;
  return ((await options.isVouched?.(commit, file.path)) ?? true) ? candidate : undefined;
}

/** The first parent of a commit, and what changed since; undefined behind the last commit that is here. */
async function parentOf(
  { id, parents: [parent] }: Commit,
  git: GitEngine,
): Promise<{ readonly commit: Commit; readonly changes: readonly PathChange[] } | undefined> {
  if (parent === undefined) return undefined;
  try {
    return { commit: await git.readCommit(parent), changes: await git.changedPaths(parent, id) };
  } catch (error) {
    // A shallow clone ends here, and so does a history with trees that are not read.
    if (isAppError(error, "E_GIT_OBJECT", "E_TOO_MANY_FILES")) return undefined;
    throw error;
  }
}
