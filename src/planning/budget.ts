import type { DeletionBudget } from "../model/generated/deletion-budget.ts";
import type { BudgetVerdict } from "../model/plan.ts";

/** The trailer that lets removals through, on any commit of the stretch. */
export const allowDeletionsTrailer = "Rollcall-Allow-Deletions";

export interface BudgetInputs {
  /** Removals that the plan wants. */
  readonly wanted: number;
  /** Removals of the last 24 hours. */
  readonly recent: number;
  /** Clusters that the repository owned before the stretch. */
  readonly ownedBefore: number;
  readonly budget?: DeletionBudget;
  /** The largest count that a trailer of the stretch or an approval names. */
  readonly approved?: number;
}

/**
 * Judges a number of removals: at most `percent` (default 10) of the clusters owned before, counting those of the last
 * 24 hours, but never less than `minimum` (default 1) nor more than `maximum` (default 25). An approval counts for the
 * removals of this plan and must name at least as many.
 */
export function judgeBudget(inputs: BudgetInputs): BudgetVerdict {
  const { wanted, recent, ownedBefore, budget, approved } = inputs;
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
    isExceeded,
    ...(isExceeded ? { trailer: `${allowDeletionsTrailer}: ${wanted}` } : {}),
  };
}

/** The largest count among the trailers of these commit messages, or undefined. A trailer stands in the last paragraph. */
export function approvedByTrailers(messages: readonly string[]): number | undefined {
  const counts = messages.flatMap((message) => {
    const lastParagraph =
      message
        .trimEnd()
        .split(/\n\s*\n/u)
        .at(-1) ?? "";
    return [...lastParagraph.matchAll(/^Rollcall-Allow-Deletions:[ \t]*(\d{1,6})[ \t]*$/gimu)].map((match) =>
      Number(match[1]),
    );
  });
  return counts.length === 0 ? undefined : Math.max(...counts);
}
