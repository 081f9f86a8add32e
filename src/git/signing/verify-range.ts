import type { AllowedSigner } from "./allowed-signers.ts";
import type { Commit, GitEngine } from "../git.ts";
import { childrenFirst } from "../objects/commit-history.ts";
import { hasCopy } from "./has-copy.ts";
import { verifySignature } from "./verify-commit.ts";
import type { CommitResult } from "./verify-commit.ts";
import { satisfiesAll, unverifiedPaths } from "./verify-paths.ts";
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
  /** How many commits are checked, each before its parents. Default 10,000. */
  readonly maximumCommits?: number;
}

export interface RangeResult {
  /** Protected files whose change has no valid signature, sorted. Empty: the range may be applied. */
  readonly unverified: readonly string[];
  /** What was found of the commits that were checked, newest first. */
  readonly commits: readonly { readonly id: string; readonly result: CommitResult }[];
}

type Reader = Pick<GitEngine, "readCommit" | "readSignature" | "listCommits" | "changedPaths" | "isAncestor">;

const unsigned: CommitResult = { kind: "refused", reason: "unsigned", message: "" };

/** A signed commit of the range. */
interface Voucher {
  readonly commit: Commit;
  /** Paths that the head has in another form. */
  readonly changedLater: ReadonlySet<string>;
  /** Whether the rules take this signer for a path. */
  readonly isFor: (path: string) => boolean;
}

/**
 * Checks the commits after `base` up to `head`. A protected file may be applied when a listed key signed a commit of the
 * range that has the file as `head` has it, and either
 * - that commit was made on top of `base`: its signer saw the whole tree, or
 * - that commit itself brought the file into this form (a branch that was signed, then merged without a signature).
 *
 * A signed commit from before `base` on another branch so vouches for its own changes alone: an unsigned merge cannot
 * bring old forms of other files back in its name. Nor can an unsigned commit take back what a signed one of the range made of
 * a file: a signed commit does not vouch for a form that a later signed one replaced, and a file that `head` has as `base` has
 * it needs a signature when a signed commit on top of `base` changed it.
 */
export async function verifyRange(engine: Reader, request: RangeRequest): Promise<RangeResult> {
  const { base, head, policy, signers, atMs, maximumCommits = 10_000 } = request;
  const changes = await engine.changedPaths(base, head);
  const changed = new Set(changes.map(({ path }) => path));
  const open = new Set(unverifiedPaths(changes, policy, unsigned));
  const undone = new Set<string>();
  const commits: { id: string; result: CommitResult }[] = [];
  const later: Voucher[] = [];
  /** Commits whose every change a signer saw who signed for all files: they cannot be undone unseen. */
  const seen = new Set<string>();
  for (const commit of await listRange(engine, request, maximumCommits)) {
    if (open.size === 0 && base === undefined) break;
    if (seen.has(commit.id)) {
      for (const parent of commit.parents) seen.add(parent);
      if (open.size + undone.size === 0) continue;
    }
    if (commits.length >= maximumCommits) {
      for (const path of base === undefined ? [] : await protectedFiles(engine, request)) undone.add(path);
      break;
    }
    const result = verifySignature(await engine.readSignature(commit.id), signers, atMs);
    commits.push({ id: commit.id, result });
    if (result.kind !== "verified" || (await isCopied(engine, commit.id, request))) continue;
    const isFor = (path: string): boolean => unverifiedPaths([{ path }], policy, result).length === 0;
    const changedLater = new Set((await engine.changedPaths(commit.id, head)).map(({ path }) => path));
    const voucher: Voucher = { commit, changedLater, isFor };
    for (const path of await pathsOf(engine, { voucher, base, open }))
      if (isFor(path) && !(await isReplaced(engine, { voucher, path, later }))) open.delete(path);
    if (base !== undefined && (await engine.isAncestor(base, commit.id))) {
      const others = [...changedLater].filter((path) => !changed.has(path) && !undone.has(path) && isFor(path));
      for (const path of protectedAmong(others, policy))
        if (!(await isConfirmed(engine, { voucher, path, later }))) undone.add(path);
      if (satisfiesAll(policy, result)) for (const parent of commit.parents) seen.add(parent);
    }
    later.push(voucher);
  }
  return { unverified: [...new Set([...open, ...undone])].sort(), commits };
}

/**
 * The commits of the range, each before its parents. With a base it is all of them: which are the newest is a question of dates,
 * which their authors choose.
 */
async function listRange(
  engine: Reader,
  { base, head }: RangeRequest,
  maximumCommits: number,
): Promise<readonly Commit[]> {
  const limit = base === undefined ? maximumCommits : Infinity;
  return childrenFirst(await engine.listCommits({ from: base, to: head, limit, isBrief: true }));
}

/** A copy of a commit that the base, or the range, has already speaks again for what was replaced since. */
async function isCopied(engine: Reader, id: string, { base, head }: RangeRequest): Promise<boolean> {
  return (base !== undefined && (await hasCopy(engine, id, base))) || hasCopy(engine, id, head);
}

function protectedAmong(paths: readonly string[], policy: SignaturePolicy): string[] {
  return unverifiedPaths(
    paths.map((path) => ({ path })),
    policy,
    unsigned,
  );
}

/** All of the head: behind more commits than are checked, an unsigned one may have undone any signed change. */
async function protectedFiles(engine: Reader, { head, policy }: RangeRequest): Promise<string[]> {
  return unverifiedPaths(await engine.changedPaths(undefined, head), policy, unsigned);
}

interface Question {
  readonly voucher: Voucher;
  readonly path: string;
  /** The signed commits that were checked before: among them all that come after the voucher. */
  readonly later: readonly Voucher[];
}

/** Whether a later signed commit has the file in another form than the head. */
async function isReplaced(engine: Reader, { voucher, path, later }: Question): Promise<boolean> {
  for (const { commit, changedLater, isFor } of later) {
    if (!changedLater.has(path) || !isFor(path)) continue;
    if (await engine.isAncestor(voucher.commit.id, commit.id)) return true;
  }
  return false;
}

/** Whether a later signed commit has the file as the head has it. */
async function isConfirmed(engine: Reader, { voucher, path, later }: Question): Promise<boolean> {
  for (const { commit, changedLater, isFor } of later) {
    if (changedLater.has(path) || !isFor(path)) continue;
    if (await engine.isAncestor(voucher.commit.id, commit.id)) return true;
  }
  return false;
}

/** Those of the open paths that a commit speaks for. */
async function pathsOf(
  engine: Reader,
  {
    voucher: { commit, changedLater },
    base,
    open,
  }: { readonly voucher: Voucher; readonly base: string | undefined; readonly open: ReadonlySet<string> },
): Promise<string[]> {
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
