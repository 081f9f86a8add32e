import { countOf } from "../core/count-of.ts";
import type { BudgetReport } from "../model/generated/plan-report.ts";
import type { Plan } from "../model/plan.ts";
import { allowDeletionsTrailer, countOfTrailers } from "./approvals.ts";

/** True when the removals of a plan need an approval, whether or not they have it. */
export function needsApproval({ wanted, recent, limit }: Pick<BudgetReport, "wanted" | "recent" | "limit">): boolean {
  return wanted > 0 && wanted + recent > limit;
}

/**
 * Which ways of merging keep the signatures that the Repository asks for. Nothing where none are needed, or where the plan
 * does nothing.
 */
export function signatureNotes(
  { changes, withheld, heldDeletes }: Pick<Plan, "changes" | "withheld" | "heldDeletes">,
  needsSignature: boolean,
): string[] {
  if (!needsSignature || changes.length + withheld.length + heldDeletes.length === 0) return [];
  return [
    "The Repository asks for signatures: a merge commit and a fast-forward keep those of these commits. A squash or a rebase on the forge makes new commits, which the forge signs with its own key or not at all. If that key is not listed, their protected files are not applied and their approvals do not count.",
  ];
}

/**
 * The effect of a squash with the forge's proposed message on the approval. Undefined: unknown, and nothing is added to
 * the plan's text on merge methods.
 */
export function squashNotes(budget: BudgetReport, message: string | undefined): string[] {
  // The message alone approves nothing: signatureNotes describes what a squash does.
  if (message === undefined || !needsApproval(budget) || budget.needsSignature === true) return [];
  const ofMessage = countOfTrailers(message) ?? 0;
  // A squash loses the approvals in the commits of the request, and none that the target branch has.
  const approved = ofMessage + (budget.approvedBefore ?? 0);
  const line = `${allowDeletionsTrailer}: ${budget.approvable ?? budget.wanted}`;
  const isKept = approved >= budget.wanted;
  if (budget.isExceeded) {
    if (!isKept) return [];
    const others = approved === ofMessage ? "" : `, and earlier approvals count for ${budget.approvedBefore} more`;
    return [
      `A squash releases what waits (${countOf(budget.wanted, "removal")}): the message that the forge proposes for it has the line that approves${others}. A merge commit, a fast-forward and a rebase do not.`,
    ];
  }
  return isKept
    ? ["A squash keeps an approval: the message that the forge proposes for it has the line."]
    : [
        `A squash withholds the removals: the message that the forge proposes for it does not approve them. Put "${line}" into a last paragraph of its own.`,
      ];
}
