import { isAppError } from "../core/errors.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../git/git.ts";
import { ignoreFileName } from "../manifests/select-files.ts";
import type { ParsedFile } from "../model/source.ts";
import type { FileOptions } from "./read-file.ts";
import { hasErrors, isPlainFile, parseBlob, readFileAt } from "./read-file.ts";

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
        readonly refusedPaths?: readonly string[];
      }
    | undefined;
  /** The applied commit: where history ends early, it has the last version that was good. */
  readonly baseCommit: string | undefined;
  /** Paths of a commit that its list of ignored files does not name, also where the file is refused for its path. */
  readonly listRead: (commit: string) => Promise<ReadonlySet<string>>;
}

/** How many earlier heads of a branch are searched at most. */
export const longestSearch = 1000;
/** Of these, whose list of ignored files differs from that of the next one: each is listed. */
const mostLists = 20;

/**
 * Of each file with errors the newest version without, among the commits that were the branch's head before: it depends on
 * history alone, so a restart and a plan from outside come to the same. History is walked once for all files, by what each
 * commit changed.
 */
export async function findLastGood(
  parsed: ReadonlyMap<string, ParsedFile>,
  { head, previous, baseCommit, listRead }: LastGoodPlace,
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
  let lists = 0;
  for (let steps = 1; steps <= longestSearch && open.size > 0; steps += 1) {
    if (previous !== undefined && newer.parents[0] === previous.commit.id) {
      // A file that was refused for its path, such as a link, declares what it declared before that.
      const refused = new Set(previous.refusedPaths);
      for (const path of open) if (!refused.has(path)) settle(path, knownGood(path, previous));
      if (open.size === 0) break;
    }
    const older = await parentOf(newer, options.git);
    if (older === undefined) break;
    if (older.changes.some(({ path }) => path === ignoreFileName)) {
      lists += 1;
      if (lists > mostLists) break;
      // What was ignored was removed: it has nothing to keep, as what was deleted before it came back.
      const read = await listRead(older.commit.id);
      for (const path of open) if (!read.has(path)) settle(path, undefined);
    }
    for (const { path, before } of older.changes) {
      if (!open.has(path)) continue;
      if (before === undefined || before.mode === "submodule") settle(path, undefined);
      else if (isPlainFile(before)) {
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
export async function parentOf(
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
