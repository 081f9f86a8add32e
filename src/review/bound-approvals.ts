import type { GitEngine } from "../git/git.ts";
import type { RemovalApproval } from "../model/generated/approval.ts";
import type { RepositoryStatus } from "../model/generated/repository.ts";
import type { CoveringApproval } from "../planning/approvals.ts";
import { approvalKey } from "../planning/approvals.ts";
import type { RemovalSource } from "../planning/plan-fleet.ts";

export interface HistoryContext {
  readonly git: Pick<GitEngine, "isAncestor">;
  readonly head: string;
  readonly status: RepositoryStatus | undefined;
  /** True for the head and commits before it. */
  readonly isInHistory: (commit: string) => Promise<boolean>;
}

/** A removal of a cluster that was applied from a commit outside the head's history. */
export interface OutsideRemoval extends RemovalSource {
  /** The commit comes after the head: the branch was reset. */
  readonly isAfterHead: boolean;
  /** Repository.status names the removal as withheld at this head: a later approval covers it. */
  readonly isReported: boolean;
}

/**
 * Of the removals, those of clusters that were last applied from a commit that the head does not contain. No commit of
 * this history shows whether such a cluster existed when an approval was given.
 */
export async function findOutside(
  removals: ReadonlyMap<string, RemovalSource>,
  { git, head, status, isInHistory }: HistoryContext,
): Promise<ReadonlyMap<string, OutsideRemoval>> {
  const commits = new Set([...removals.values()].map(({ commit }) => commit));
  const outside = new Map<string, boolean>();
  for (const commit of commits)
    if (!(await isInHistory(commit))) outside.set(commit, await git.isAncestor(head, commit));
  const { commit: reportedAt, count = 0, objects = [] } = status?.withheld ?? {};
  const isReported = ({ cluster }: RemovalSource): boolean =>
    reportedAt === head && (objects.includes(`Cluster/${cluster}`) || objects.length < count);
  const found = new Map<string, OutsideRemoval>();
  for (const [id, source] of removals) {
    const isAfterHead = outside.get(source.commit);
    if (isAfterHead !== undefined) found.set(id, { ...source, isAfterHead, isReported: isReported(source) });
  }
  return found;
}

/**
 * What each approval in the head covers. Of the outside removals only those that it can mean: the approval is new, and the
 * removal was reported before it, or the cluster does not come from a later commit.
 */
export function coverAtHead(
  approvals: readonly RemovalApproval[],
  {
    wanted,
    outside,
    isNew,
    reserved,
  }: {
    readonly wanted: ReadonlySet<string>;
    readonly outside: ReadonlyMap<string, OutsideRemoval>;
    /** Keys of approvals that Repository.status does not have yet. */
    readonly isNew: ReadonlySet<string>;
    /** Removals that are charged to an approval already: id -> key of the approval. */
    readonly reserved: ReadonlyMap<string, string | undefined>;
  },
): CoveringApproval[] {
  return approvals.map((approval) => {
    if (outside.size === 0) return { approval, covers: undefined };
    const key = approvalKey(approval);
    const isMeant = (id: string): boolean => {
      const removal = outside.get(id);
      if (removal === undefined || reserved.get(id) === key) return true;
      return isNew.has(key) && (removal.isReported || !removal.isAfterHead);
    };
    return { approval, covers: new Set([...wanted].filter(isMeant)) };
  });
}
