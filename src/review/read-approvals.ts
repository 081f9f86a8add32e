import { appendAll } from "../core/append-all.ts";
import { isAppError } from "../core/errors.ts";
import type { Commit, GitEngine } from "../git/git.ts";
import type { RemovalApproval } from "../model/generated/approval.ts";
import type { Repository } from "../model/generated/repository.ts";
import { annotationKeys } from "../model/well-known.ts";
import type { CoveringApproval } from "../planning/approvals.ts";
import {
  approvalKey,
  countOfTrailers,
  mayBeForgotten,
  mergeApprovals,
  mostApprovals,
  parseCommandApproval,
} from "../planning/approvals.ts";
import { isElsewhere, rangeBaseOf } from "../planning/repository-state.ts";

/** Commits whose messages are read in one run, newest first: approvals further back are not found. */
const mostCommits = 10_000;

/** So many earlier approvals are read, the newest ones. */
const mostEarlier = 20;

/** An approval so many first parents behind the head still counts. */
const mostParents = 200;

export interface ReadApprovals {
  /** Every approval that is known, oldest first. */
  readonly known: readonly RemovalApproval[];
  /** Those that are in the head. */
  readonly atHead: readonly RemovalApproval[];
  /** Those in the head that count for nothing, although they are not used up. */
  readonly lapsedAtHead: readonly RemovalApproval[];
  /** Those of earlier commits that are not used up. */
  readonly earlier: readonly RemovalApproval[];
  /** Those that are not used up and are not read, because so many newer ones are: oldest first. */
  readonly overlooked: readonly RemovalApproval[];
  /** Keys of those that Repository.status does not have yet. */
  readonly isNew: ReadonlySet<string>;
}

/**
 * The approvals in Repository.status, with those of commits that were not scanned yet. The work depends on the new
 * commits, not on the range. When the branch leaves the scanned history (it is reset, or replaced), the recorded
 * approvals lapse: they were given for other changes. So do the trailers that the first run at another place finds: they are
 * older than the Repository's settings.
 */
export async function readApprovals(
  git: GitEngine,
  { repository, head, base, reserved, isInHistory, isSigned }: ApprovalPlace,
): Promise<ReadApprovals> {
  const { approvals: remembered = [], scannedCommit } = repository.status ?? {};
  const isContinued = scannedCommit === undefined || (await isInHistory(scannedCommit));
  const approvals = isContinued ? remembered : remembered.map((approval) => ({ ...approval, lapsed: true }));
  const command = parseCommandApproval(repository.metadata.annotations?.[annotationKeys.approvedDeletions]);
  const commits = await newCommits(git, { scannedCommit, base, head });
  const found = commits.flatMap(({ id, message }): RemovalApproval[] => {
    const count = countOfTrailers(message);
    return count === undefined ? [] : [{ commit: id, by: "Trailer", count, spent: 0 }];
  });
  const resolved = command && (await resolveCommit(git, command, head));
  const rememberedKeys = new Set(remembered.map(approvalKey));
  const isForgotten = forgottenTest(git, { scannedCommit, remembered });
  const isNewPlace = base === undefined && !(scannedCommit !== undefined && isContinued) && isUnknownPlace(repository);
  const all: RemovalApproval[] = [];
  for (const approval of [...found.reverse(), ...(resolved ? [resolved] : [])]) {
    const isNew = !rememberedKeys.has(approvalKey(approval));
    const isTrailer = approval.by === "Trailer";
    const isLapsed =
      isNew &&
      ((isTrailer && isNewPlace) || (await isForgotten(approval)) || (isTrailer && !(await isSigned(approval.commit))));
    all.push(isLapsed ? { ...approval, lapsed: true } : approval);
  }
  const known = mergeApprovals(approvals, all, reserved);
  const kept = new Set(known.map(approvalKey));
  const valid = known.filter(({ lapsed }) => lapsed !== true);
  const isUsable = (approval: RemovalApproval): boolean =>
    approval.spent < approval.count || reserved.has(approvalKey(approval));
  const earlier = valid.filter((approval) => approval.commit !== head && isUsable(approval));
  const dropped = [...approvals, ...all].filter(
    (approval) => approval.lapsed !== true && !kept.has(approvalKey(approval)) && isUsable(approval),
  );
  return {
    known,
    atHead: valid.filter(({ commit }) => commit === head),
    lapsedAtHead: known.filter(
      ({ commit, lapsed, spent, count }) => commit === head && lapsed === true && spent < count,
    ),
    earlier: earlier.slice(-mostEarlier),
    overlooked: [...dropped, ...earlier.slice(0, -mostEarlier)],
    isNew: new Set(known.map(approvalKey).filter((key) => !rememberedKeys.has(key))),
  };
}

/** True where nothing was settled that was read at the Repository's address and branch. */
function isUnknownPlace({ status, spec }: Repository): boolean {
  return rangeBaseOf(status) === undefined || isElsewhere(status, spec);
}

export interface ApprovalPlace {
  readonly repository: Repository;
  readonly head: string;
  /** Where the commit range begins. */
  readonly base: string | undefined;
  /** Keys of approvals that removals are charged to which were perhaps not carried out. */
  readonly reserved: ReadonlySet<string>;
  /** True for the head and commits before it. */
  readonly isInHistory: (commit: string) => Promise<boolean>;
  /** Whether a listed key signed a commit. True for each commit where no signatures are asked for. */
  readonly isSigned: (commit: string) => Promise<boolean>;
}

/** The trailers of this history that would count if a listed key had signed their commits, oldest first. */
export async function unsignedApprovals(
  known: readonly RemovalApproval[],
  { isInHistory, isSigned }: Pick<ApprovalPlace, "isInHistory" | "isSigned">,
): Promise<readonly RemovalApproval[]> {
  const found: RemovalApproval[] = [];
  for (const approval of known) {
    if (approval.by !== "Trailer" || approval.lapsed !== true || approval.spent >= approval.count) continue;
    if ((await isInHistory(approval.commit)) && !(await isSigned(approval.commit))) found.push(approval);
  }
  return found;
}

/**
 * True for an approval that is not remembered because too many others are: how much of it is spent is not known, so it lets
 * nothing through.
 */
function forgottenTest(
  git: Pick<GitEngine, "readCommit" | "isAncestor">,
  {
    scannedCommit,
    remembered,
  }: { readonly scannedCommit: string | undefined; readonly remembered: readonly RemovalApproval[] },
): (approval: RemovalApproval) => Promise<boolean> {
  return async (approval) => {
    if (remembered.length < mostApprovals) return false;
    if (approval.by === "Command") return mayBeForgotten(approval, remembered);
    if (scannedCommit === undefined) return false;
    const isScanKnown = (await readKnown(git, scannedCommit)) !== undefined;
    return !isScanKnown || (await git.isAncestor(approval.commit, scannedCommit));
  };
}

async function newCommits(
  git: GitEngine,
  {
    scannedCommit,
    base,
    head,
  }: { readonly scannedCommit: string | undefined; readonly base: string | undefined; readonly head: string },
): Promise<readonly Commit[]> {
  if (scannedCommit === head) return [];
  const isScanned = scannedCommit !== undefined && (await git.isAncestor(scannedCommit, head));
  const from = isScanned ? scannedCommit : base;
  if (from === undefined) return [await git.readCommit(head)];
  return git.listCommits({ from, to: head, limit: mostCommits });
}

/** The command's approval with the whole id of its commit; undefined when that is not among the head's newest ancestors. */
async function resolveCommit(
  git: Pick<GitEngine, "readCommit">,
  command: RemovalApproval,
  head: string,
): Promise<RemovalApproval | undefined> {
  let commit = await readKnown(git, head);
  for (let step = 0; commit !== undefined && step < mostParents; step++) {
    if (commit.id.startsWith(command.commit)) return { ...command, commit: commit.id };
    commit = await readKnown(git, commit.parents[0]);
  }
  return undefined;
}

export interface CoverageContext {
  readonly git: Pick<GitEngine, "readCommit" | "isAncestor">;
  /** Where the first parents begin that are searched. A merge that is only planned has the id of what it merges. */
  readonly head: Commit;
  /** True for the head and commits before it. */
  readonly isInHistory: (commit: string) => Promise<boolean>;
  /** Ids of the removals that the head asks for. */
  readonly wanted: ReadonlySet<string>;
  /** Ids of the removals that an earlier commit asks for. */
  readonly wantedAt: (commit: string) => Promise<ReadonlySet<string>>;
}

/** What each earlier approval covers at most: those of the head's removals that its own commit asked for already. */
export async function boundCoverage(
  approvals: readonly RemovalApproval[],
  { wanted, wantedAt, isInHistory }: CoverageContext,
): Promise<CoveringApproval[]> {
  const bounds: CoveringApproval[] = [];
  for (const approval of approvals) {
    if (!(await isInHistory(approval.commit))) continue;
    const covers = intersect(wanted, await wantedAt(approval.commit));
    if (covers.size > 0) bounds.push({ approval, covers });
  }
  return bounds;
}

/**
 * What each earlier approval covers: of what it covers at most, that which every commit of the branch since then asked for,
 * too. What a later commit removes is not covered by it, whatever was there before.
 */
export async function findCoverage(
  bounds: readonly CoveringApproval[],
  { git, head, wanted, wantedAt }: CoverageContext,
): Promise<CoveringApproval[]> {
  const found: CoveringApproval[] = [];
  let open = [...bounds];
  let since = wanted;
  let commit: Commit | undefined = head;
  for (let step = 0; commit !== undefined && open.length > 0 && step < mostParents; step++) {
    if (step > 0) since = intersect(since, await wantedAt(commit.id));
    if (since.size === 0) break;
    const reached: CoveringApproval[] = [];
    for (const bound of open) {
      const { id } = commit;
      if (bound.approval.commit === id || (await isMergedBy(git, bound.approval.commit, commit))) reached.push(bound);
    }
    const sinceThen = since;
    appendAll(
      found,
      reached.map(({ approval, covers = wanted }) => ({ approval, covers: intersect(covers, sinceThen) })),
    );
    open = open.filter((bound) => !reached.includes(bound));
    commit = await readKnown(git, commit.parents[0]);
  }
  return bounds.flatMap(({ approval }) => found.filter((one) => one.approval === approval));
}

/** Undefined behind the end of the history, and of a clone that ends earlier. */
async function readKnown(git: Pick<GitEngine, "readCommit">, id: string | undefined): Promise<Commit | undefined> {
  if (id === undefined) return undefined;
  try {
    return await git.readCommit(id);
  } catch (error) {
    if (isAppError(error, "E_GIT_OBJECT")) return undefined;
    throw error;
  }
}

/** True when this merge brought the commit to the branch. */
async function isMergedBy(
  git: Pick<GitEngine, "isAncestor">,
  approval: string,
  { parents: [first, ...others] }: Commit,
): Promise<boolean> {
  if (first === undefined || others.length === 0 || (await git.isAncestor(approval, first))) return false;
  for (const other of others) if (await git.isAncestor(approval, other)) return true;
  return false;
}

function intersect(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((id) => b.has(id)));
}
