import { isAppError } from "../core/errors.ts";
import { withReplaced } from "../core/replaced-map.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../git/git.ts";
import { replaceSize, sizeOfFile } from "../manifests/repository-size.ts";
import { ignoreFileName } from "../manifests/select-files.ts";
import type { ParsedFile } from "../model/source.ts";
import type { ReplacedFile, SourceOptions, SourceSnapshot } from "./read-source.ts";
import { hasErrors, readFile } from "./read-file.ts";

/** More changed files than this are read with all others. */
const mostFiles = 1000;
/** Commits between two reads that are followed one by one. */
const mostCommits = 100;

/**
 * Reads a commit on top of one that was read before, when it only replaces the content of files that are without errors: all
 * else is shared, and its cost follows the change. Undefined for every other commit, which is read whole.
 */
export async function readReplaced(
  commitId: string,
  previous: SourceSnapshot,
  options: SourceOptions,
): Promise<SourceSnapshot | undefined> {
  const { git } = options;
  if (previous.size === undefined || previous.selection !== (options.selection?.() ?? "")) return undefined;
  if (previous.commit.id === commitId) return undefined;
  const commit = await git.readCommit(commitId);
  if (commit.parents[0] !== previous.commit.id) {
    // A commit between may have deleted or mended such a file, so that another version is its last good one.
    if ([...previous.parsed.values()].some(hasErrors)) return undefined;
    if (!(await isOnTop(commit, previous.commit.id, git))) return undefined;
  }
  const changes = await git.changedPaths(previous.commit.id, commitId);
  if (changes.length > mostFiles) return undefined;
  const files = new Map<string, TreeFile>();
  const parsed = new Map<string, ParsedFile>();
  const replaced: ReplacedFile[] = [];
  let { size } = previous;
  for (const change of changes) {
    const after = replacementOf(change);
    if (after === undefined) return undefined;
    if (!previous.files.has(change.path)) continue;
    const before = previous.parsed.get(change.path);
    const now = await readFile(after, options);
    if (before === undefined || hasErrors(before) || hasErrors(now) || now.isUnreadable === true) return undefined;
    files.set(change.path, after);
    parsed.set(change.path, now);
    replaced.push({ before, after: now });
    size = replaceSize(size, sizeOfFile(before), sizeOfFile(now));
  }
  if (!options.fits(size)) return undefined;
  return {
    ...previous,
    commit,
    files: withReplaced(previous.files, files),
    parsed: withReplaced(previous.parsed, parsed),
    size,
    parsedCount: replaced.length,
    replaced: { from: previous.commit.id, files: replaced },
  };
}

/** Undefined when more than the content of one file changes: which files are read may be another choice then. */
function replacementOf({ path, before, after }: PathChange): TreeFile | undefined {
  if (before === undefined || after === undefined || path === ignoreFileName) return undefined;
  const isPlain = before.mode === "file" && after.mode === "file";
  return isPlain && before.isUnsafe !== true && after.isUnsafe !== true ? after : undefined;
}

/** Whether the branch was at `id` before it came to the commit. */
async function isOnTop(commit: Commit, id: string, git: Pick<GitEngine, "readCommit">): Promise<boolean> {
  let [parent] = commit.parents;
  for (let step = 1; step < mostCommits && parent !== undefined && parent !== id; step++) {
    try {
      [parent] = (await git.readCommit(parent)).parents;
    } catch (error) {
      // A shallow clone ends here.
      if (isAppError(error, "E_GIT_OBJECT")) return false;
      throw error;
    }
  }
  return parent === id;
}
