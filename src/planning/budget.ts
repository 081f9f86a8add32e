import type { DeletionBudget } from "../model/generated/deletion-budget.ts";
import type { BudgetResult, HeldDelete, WithheldRemoval } from "../model/plan.ts";
import { allowDeletionsTrailer } from "./approvals.ts";

export interface BudgetInputs {
  /** Removals that the plan wants. */
  readonly wanted: number;
  /** Other removals of the last 24 hours. */
  readonly recent: number;
  /** Clusters that the repository owned before. */
  readonly ownedBefore: number;
  readonly budget?: DeletionBudget;
  /** How many of the wanted removals approvals cover; undefined when there is no approval. */
  readonly approved?: number;
  /** How many of those are covered by approvals that were known before the planned commits. Default: 0. */
  readonly approvedBefore?: number;
}

/**
 * Evaluates a number of removals: at most `percent` (default 10) of the clusters owned before, counting those of the last
 * 24 hours, but never less than `minimum` (default 1) nor more than `maximum` (default 25). More are let through only when
 * approvals cover each of them.
 */
export function evaluateBudget(inputs: BudgetInputs): BudgetResult {
  const { wanted, recent, ownedBefore, budget, approved, approvedBefore = 0 } = inputs;
  const percent = budget?.percent ?? 10;
  const limit = Math.min(
    budget?.maximum ?? 25,
    Math.max(budget?.minimum ?? 1, Math.floor((ownedBefore * percent) / 100)),
  );
  const isWithin = wanted === 0 || wanted + recent <= limit;
  const isApproved = approved !== undefined && approved >= wanted;
  const isExceeded = !isWithin && !isApproved;
  return {
    wanted,
    recent,
    limit,
    ...(approved === undefined ? {} : { approved }),
    ...(approvedBefore === 0 ? {} : { approvedBefore }),
    isExceeded,
    ...(isExceeded ? approvalOf(wanted) : {}),
  };
}

/** Reasons that an approval in the planned commit overrules. */
const approvableReasons: ReadonlySet<WithheldRemoval["because"]> = new Set(["not-applied-before", "foreign-history"]);

/**
 * Adds to the budget what lets through the removals that wait for another reason than the budget. A tree without a document
 * removes nothing, whatever is approved: the approval belongs into a commit that has one.
 */
export function withApproval(
  budget: BudgetResult,
  {
    withheld,
    heldDeletes,
  }: { readonly withheld: readonly WithheldRemoval[]; readonly heldDeletes: readonly HeldDelete[] },
): BudgetResult {
  const isApprovable = ({ because }: Pick<HeldDelete, "because">): boolean => approvableReasons.has(because);
  const unapproved = withheld.filter(isApprovable).length;
  const wanted = budget.isExceeded ? budget.wanted : 0;
  if (unapproved > 0 || heldDeletes.some(isApprovable)) return { ...budget, ...approvalOf(wanted + unapproved) };
  const undocumented = withheld.filter(({ because }) => because === "empty-tree").length;
  if (undocumented === 0 || undocumented + budget.recent <= budget.limit) return budget;
  return { ...budget, ...approvalOf(undocumented), needsDocument: true };
}

function approvalOf(count: number): Pick<BudgetResult, "approvable" | "trailer"> {
  return { approvable: count, trailer: `${allowDeletionsTrailer}: ${count}` };
}
