import { AppError } from "../core/errors.ts";

/**
 * The full ref of a branch. The rules are git's own (`git check-ref-format --branch`), and they also keep the name from
 * leaving refs/heads, from being an option and from being a glob.
 * @throws E_GIT_BRANCH_MISSING when no branch can have that name
 */
export function branchRef(branch: string): string {
  if (!isBranchName(branch)) {
    throw new AppError("E_GIT_BRANCH_MISSING", `${JSON.stringify(branch.slice(0, 200))} is no name of a branch`, {
      recovery: "stalled",
    });
  }
  return `refs/heads/${branch}`;
}

/** True for a name that git accepts for a branch. Source: git, refs.c, check_refname_format and strbuf_check_branch_ref. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "HEAD" || name.startsWith("-") || name.endsWith(".")) return false;
  if (Buffer.byteLength(name) > 1000 || name.includes("..") || name.includes("@{")) return false;
  if (/[\p{Cc}\u007f ~^:?*[\\]/u.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}

/** What the full refs of branches begin with. */
export const branchPrefix = "refs/heads/";

/** Branches by name, sorted, of full refs; names that git does not accept and ids that are none are left out. */
export function branchesOf(refs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const branches = [...refs]
    .filter(([ref, id]) => ref.startsWith(branchPrefix) && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(id))
    .map(([ref, id]): [string, string] => [ref.slice(branchPrefix.length), id])
    .filter(([name]) => isBranchName(name));
  return new Map(branches.sort(([a], [b]) => (a < b ? -1 : 1)));
}
