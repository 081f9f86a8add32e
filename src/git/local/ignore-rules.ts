import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PathPatterns } from "../../core/path-patterns.ts";
import { compilePathPatterns } from "../../core/path-patterns.ts";

/** Which files of a work tree git leaves out of a commit of everything. */
export interface IgnoreRules {
  /** Paths are below the root, with forward slashes. Each folder is asked about before what is in it. */
  ignores(path: string, isFolder: boolean): boolean;
  /** Whether a path is tracked, or is a folder above one. */
  tracks(path: string): boolean;
}

/** A larger file of patterns is not read: then nothing is left out because of it. */
const largestBytes = 1024 * 1024;

const none = compilePathPatterns([]);

/**
 * Reads `.gitignore` of each folder when it is asked about, and `info/exclude` of the repository; what a user's own configuration
 * leaves out everywhere is not known here. A path of `tracked`, and a folder above one, is never ignored.
 * Source: git, gitignore(5).
 */
export function openIgnoreRules(root: string, commonDir: string, tracked: Iterable<string>): IgnoreRules {
  const kept = withFolders(tracked);
  const exclude = readPatterns(join(commonDir, "info", "exclude"));
  const known = new Map<string, PathPatterns>();
  const patternsOf = (folder: string): PathPatterns => {
    const found = known.get(folder) ?? readPatterns(join(root, folder, ".gitignore"));
    known.set(folder, found);
    return found;
  };
  const isExcluded = (path: string, isFolder: boolean): boolean => {
    // The nearest folder decides first.
    for (let at = path.lastIndexOf("/"); ; at = path.lastIndexOf("/", at - 1)) {
      const decided = patternsOf(path.slice(0, Math.max(at, 0))).decide(path.slice(at + 1), isFolder);
      if (decided !== undefined) return decided;
      if (at <= 0) return exclude.decide(path, isFolder) ?? false;
    }
  };
  const excludedFolders = new Set<string>();
  return {
    ignores(path, isFolder) {
      const isOut =
        excludedFolders.has(path.slice(0, Math.max(path.lastIndexOf("/"), 0))) || isExcluded(path, isFolder);
      if (isOut && isFolder) excludedFolders.add(path);
      return isOut && !kept.has(path);
    },
    tracks: (path) => kept.has(path),
  };
}

function withFolders(paths: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const path of paths) {
    all.add(path);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (all.has(folder)) break;
      all.add(folder);
    }
  }
  return all;
}

/** As git has it, a link is no such file, and one that cannot be read has no patterns. */
function readPatterns(path: string): PathPatterns {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size > largestBytes) return none;
    return compilePathPatterns(
      readFileSync(path, "utf8")
        .replace(/^\ufeff/u, "")
        .split("\n"),
    );
  } catch {
    return none; // The listing of the folder reports what cannot be read.
  }
}
