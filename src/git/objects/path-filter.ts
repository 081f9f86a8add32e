/** Which part of a tree is asked for. */
export interface PathFilter {
  /** True when the file at `path` is asked for. */
  includesFile(path: string): boolean;
  /** True when the folder at `path` may hold such a file. */
  entersFolder(path: string): boolean;
}

/**
 * A filter for the files at or below one of `paths`; without `paths`, or with `.` among them, for all.
 * Paths are literal: no wildcard, no `..` (such a path matches nothing).
 */
export function makePathFilter(paths: readonly string[] | undefined): PathFilter {
  const wanted = paths?.map(normalizePath);
  if (wanted === undefined || wanted.includes("")) return { includesFile: () => true, entersFolder: () => true };
  return {
    includesFile: (path) => wanted.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
    entersFolder: (path) =>
      wanted.some((prefix) => path === prefix || path.startsWith(`${prefix}/`) || prefix.startsWith(`${path}/`)),
  };
}

function normalizePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.join("/");
}
