import { AppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import { countOf } from "../core/count-of.ts";
import type { GitEngine } from "../git/git.ts";
import type { Problem } from "../model/problem.ts";

export interface RangeResult {
  /** Protected files whose change no listed key vouches for; empty when the range may be applied. */
  readonly unverified: readonly string[];
  /** Why its newest commit does not, as text. */
  readonly reason: string;
  /** Commits of the range that a listed key signed, as far as they were checked. Default: not known. */
  readonly signed?: ReadonlySet<string>;
}

/** Evaluates the commits after `base` (undefined: all of them) up to `head`. */
export type VerifyRange = (range: { readonly base?: string; readonly head: string }) => Promise<RangeResult>;

/** The keys that a Repository lists. */
export interface CommitVerifier {
  readonly verify: VerifyRange;
  /**
   * True for a commit that itself has a signature by a listed key, and of which `tip` has no copy with another form of it: its
   * message counts.
   */
  isSigned(commit: string, tip: string): Promise<boolean>;
  /** True when a listed key vouches for the form that a file has in a commit. */
  isVouched(commit: string, path: string): Promise<boolean>;
}

/** So many of the newest commits are evaluated whether they are signed or not. */
const mostNewest = 50;
/** So many of the others, which are evaluated when they are signed, or merge a signed one. */
const mostSigned = 50;
/** How far back a commit that may be applied is searched for: as far as signatures of a range are read. */
const mostSteps = 10_000;

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
  range: { readonly base: string | undefined; readonly head: string },
  verify: VerifyRange,
): Promise<VerifiedHead> {
  const { head } = range;
  const isKnown = range.base !== undefined && (await git.isAncestor(range.base, head));
  const base = isKnown ? { base: range.base } : {};
  let refusal: Pick<VerifiedHead, "refusal" | "problems"> = {};
  let signed: ReadonlySet<string> = new Set();
  let signedCount = 0;
  let candidate: string | undefined = head;
  for (let step = 0; candidate !== undefined && step < mostSteps && signedCount < mostSigned; step++) {
    if (candidate === base.base) break;
    const { parents }: { readonly parents: readonly string[] } = await git.readCommit(candidate);
    // Commits of a stranger without a signature must not hide one with a signature, however many they are.
    const isSigned = [candidate, ...parents].some((id) => signed.has(id));
    if (step >= mostNewest && isSigned) signedCount += 1;
    if (step < mostNewest || isSigned) {
      const result = await verify({ ...base, head: candidate });
      if (result.unverified.length === 0) return { commit: candidate, ...refusal };
      if (candidate === head) {
        refusal = { refusal: refuse(head, result), problems: unverifiedProblems(result) };
        signed = result.signed ?? signed;
      }
    }
    [candidate] = parents;
  }
  return { commit: base.base, ...refusal };
}

function refuse(commit: string, { unverified, reason }: RangeResult): AppError {
  const [first = ""] = unverified;
  const more = unverified.length > 1 ? ` and ${countOf(unverified.length - 1, "more file")}` : "";
  return new AppError(
    "E_UNVERIFIED",
    `apply commit ${shortCommit(commit)}: no listed key vouches for ${first}${more} (${reason})`,
    { data: { commit, unverified: unverified.length } },
  );
}

/** The same, file by file, for the review of a commit before it is merged. */
export function unverifiedProblems({ unverified, reason }: RangeResult): Problem[] {
  return unverified.map((file) => ({
    code: "E_UNVERIFIED",
    severity: "error",
    file,
    line: 1,
    column: 1,
    message: `no listed key vouches for this file (${reason})`,
  }));
}
