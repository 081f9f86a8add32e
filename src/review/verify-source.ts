import { AppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import { countOf } from "../core/count-of.ts";
import type { GitEngine } from "../git/git.ts";
import type { Problem } from "../model/problem.ts";

export interface StretchVerdict {
  /** Protected files whose change no listed key vouches for; empty when the stretch may be applied. */
  readonly unverified: readonly string[];
  /** Why its newest commit does not, in words. */
  readonly reason: string;
}

/** Judges the commits after `base` (undefined: all of them) up to `head`. */
export type VerifyStretch = (stretch: { readonly base?: string; readonly head: string }) => Promise<StretchVerdict>;

/** The keys that a Repository lists. */
export interface CommitVerifier {
  readonly verify: VerifyStretch;
  /** True for a commit that itself has a signature by a listed key: what it says in its message counts. */
  isSigned(commit: string): Promise<boolean>;
}

/** How far back a commit that may be applied is looked for. */
const stepsAtMost = 50;

export interface VerifiedHead {
  /** The newest commit of the branch that may be applied; undefined when there is none. */
  readonly commit: string | undefined;
  /** E_UNVERIFIED: why it is not the head. */
  readonly refusal?: AppError;
  /** The same, file by file. */
  readonly problems?: readonly Problem[];
}

/**
 * The newest commit, from the head along first parents down to the applied one, that listed keys vouch for. What was
 * applied stays in force: it was verified then.
 */
export async function findVerified(
  git: Pick<GitEngine, "isAncestor" | "readCommit">,
  stretch: { readonly base: string | undefined; readonly head: string },
  verify: VerifyStretch,
): Promise<VerifiedHead> {
  const { head } = stretch;
  const isKnown = stretch.base !== undefined && (await git.isAncestor(stretch.base, head));
  const base = isKnown ? { base: stretch.base } : {};
  let refusal: Pick<VerifiedHead, "refusal" | "problems"> = {};
  let candidate: string | undefined = head;
  for (let step = 0; candidate !== undefined && step < stepsAtMost; step++) {
    if (candidate === base.base) break;
    const verdict = await verify({ ...base, head: candidate });
    if (verdict.unverified.length === 0) return { commit: candidate, ...refusal };
    if (candidate === head) refusal = { refusal: refuse(head, verdict), problems: unverifiedProblems(verdict) };
    [candidate] = (await git.readCommit(candidate)).parents;
  }
  return { commit: base.base, ...refusal };
}

function refuse(commit: string, { unverified, reason }: StretchVerdict): AppError {
  const [first = ""] = unverified;
  const more = unverified.length > 1 ? ` and ${countOf(unverified.length - 1, "more file")}` : "";
  return new AppError(
    "E_UNVERIFIED",
    `apply commit ${shortCommit(commit)}: no listed key vouches for ${first}${more} (${reason})`,
    { data: { commit, unverified: unverified.length } },
  );
}

/** The same, file by file, for who looks at a commit before it is merged. */
export function unverifiedProblems({ unverified, reason }: StretchVerdict): Problem[] {
  return unverified.map((file) => ({
    code: "E_UNVERIFIED",
    severity: "error",
    file,
    line: 1,
    column: 1,
    message: `no listed key vouches for this file (${reason})`,
  }));
}
