import type { AllowedSigner } from "./allowed-signers.ts";
import type { Commit, GitEngine } from "../git.ts";
import { verifySignature } from "./verify-commit.ts";
import type { CommitResult } from "./verify-commit.ts";
import { unverifiedPaths } from "./verify-paths.ts";
import type { SignaturePolicy } from "./verify-paths.ts";

export interface RangeRequest {
  /** The last commit that was applied; undefined before the first. */
  readonly base?: string;
  /** The commit that is to be applied. */
  readonly head: string;
  readonly policy: SignaturePolicy;
  readonly signers: readonly AllowedSigner[];
  /** The time at which the commits were first seen. Milliseconds since the epoch. */
  readonly atMs: number;
  /** How many commits are looked at, newest first. Default 10,000. */
  readonly maximumCommits?: number;
}

export interface RangeResult {
  /** Protected files whose change has no valid signature, sorted. Empty: the range may be applied. */
  readonly unverified: readonly string[];
  /** What was found of the commits that were looked at, newest first. */
  readonly commits: readonly { readonly id: string; readonly result: CommitResult }[];
}

type Reader = Pick<GitEngine, "readSignature" | "listCommits" | "changedPaths" | "isAncestor">;

/**
 * Checks the commits after `base` up to `head`. A protected file may be applied when a listed key signed a commit of the
 * range that has the file as `head` has it, and either
 * - that commit was made on top of `base`: its signer saw the whole tree, or
 * - that commit itself brought the file into this form (a branch that was signed, then merged without a signature).
 *
 * A signed commit from before `base` on another branch so vouches for its own changes alone: an unsigned merge cannot
 * bring old forms of other files back in its name.
 */
export async function verifyRange(engine: Reader, request: RangeRequest): Promise<RangeResult> {
  const { base, head, policy, signers, atMs, maximumCommits = 10_000 } = request;
  const nobody: CommitResult = { kind: "refused", reason: "unsigned", message: "" };
  const changed = await engine.changedPaths(base, head);
  let open = new Set(unverifiedPaths(changed, policy, nobody));
  const commits: { id: string; result: CommitResult }[] = [];
  if (open.size === 0) return { unverified: [], commits };
  for (const commit of await engine.listCommits({ from: base, to: head, limit: maximumCommits })) {
    const result = verifySignature(await engine.readSignature(commit.id), signers, atMs);
    commits.push({ id: commit.id, result });
    if (result.kind !== "verified") continue;
    const covered = await pathsOf(engine, { commit, base, head, open });
    const vouched = covered.filter((path) => unverifiedPaths([{ path }], policy, result).length === 0);
    open = new Set([...open].filter((path) => !vouched.includes(path)));
    if (open.size === 0) break;
  }
  return { unverified: [...open].sort(), commits };
}

interface Question {
  readonly commit: Commit;
  readonly base: string | undefined;
  readonly head: string;
  readonly open: ReadonlySet<string>;
}

/** Those of the open paths that a commit speaks for. */
async function pathsOf(engine: Reader, { commit, base, head, open }: Question): Promise<string[]> {
  const changedLater = new Set((await engine.changedPaths(commit.id, head)).map(({ path }) => path));
  const asInHead = [...open].filter((path) => !changedLater.has(path));
  if (asInHead.length === 0 || base === undefined || (await engine.isAncestor(base, commit.id))) return asInHead;
  let own = new Set(asInHead);
  const parents = commit.parents.length > 0 ? commit.parents : [undefined];
  for (const parent of parents) {
    const brought = new Set((await engine.changedPaths(parent, commit.id)).map(({ path }) => path));
    own = new Set([...own].filter((path) => brought.has(path)));
  }
  return [...own];
}
