import { nameSome } from "../core/count-of.ts";
import { AppError } from "../core/errors.ts";
import { cleanRemoteText } from "../core/remote-text.ts";
import type { GitEngine } from "../git/git.ts";

/** In one line of text. */
const mostNames = 5;
/** A name of a branch that is shown in full. */
const longestName = 60;

/** The error for a branch that is not there. It names the branches that are. @throws what `listBranches` throws */
export async function missingBranch(
  git: Pick<GitEngine, "url" | "listBranches">,
  branch: string,
  signal?: AbortSignal,
): Promise<AppError> {
  const names = nameBranches([...(await git.listBranches(signal)).keys()]);
  const reason = names === "" ? "the repository has no branch" : `it does not exist; the repository has ${names}`;
  return new AppError("E_GIT_BRANCH_MISSING", `read branch ${branch} of ${git.url}: ${reason}`, { data: { branch } });
}

/** The first names in one line, as they may be shown; empty without any. A server may give any text as a name. */
export function nameBranches(branches: readonly string[]): string {
  return nameSome(branches, mostNames, (name) => cleanRemoteText(name, { secrets: [], maximumLength: longestName }));
}
