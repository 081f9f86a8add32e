import type { BudgetReport } from "../model/generated/plan-report.ts";
import { allowDeletionsTrailer, countOfTrailers } from "./approvals.ts";

/** True when the removals of a plan need an approval, whether or not they have it. */
export function needsApproval({ wanted, recent, limit }: Pick<BudgetReport, "wanted" | "recent" | "limit">): boolean {
  return wanted > 0 && wanted + recent > limit;
}

/**
 * The effect of a squash with the forge's proposed message on the approval. Undefined: unknown, and nothing is added to
 * the plan's text on merge methods.
 */
export function squashNotes(budget: BudgetReport, message: string | undefined): string[] {
  if (message === undefined || !needsApproval(budget)) return [];
  const approved = countOfTrailers(message) ?? 0;
  const line = `${allowDeletionsTrailer}: ${budget.approvable ?? budget.wanted}`;
  const isKept = approved >= budget.wanted;
  if (budget.isExceeded) {
    if (!isKept) return [];
    return [
      `A squash releases what is withheld: the message that the forge proposes for it has the line that approves. A merge commit, a fast-forward and a rebase do not.`,
    ];
  }
  return isKept
    ? ["A squash keeps an approval: the message that the forge proposes for it has the line."]
    : [
        `A squash withholds the removals: the message that the forge proposes for it does not approve them. Put "${line}" into its last paragraph.`,
      ];
}
