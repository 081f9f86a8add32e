import { countOf, oneOrMany } from "../core/count-of.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { RemovalApproval } from "../model/generated/approval.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems } from "../model/problem.ts";

type WithheldPlan = Pick<Plan, "problems"> & { readonly budget: Pick<Plan["budget"], "isExceeded" | "approvable"> };

/** The plan; where it withholds removals that one of these approvals may cover, with a warning that names them. */
export function withOverlooked<T extends WithheldPlan>(plan: T, overlooked: readonly RemovalApproval[]): T {
  const [oldest] = overlooked;
  if (!plan.budget.isExceeded || oldest === undefined) return plan;
  const count = overlooked.length;
  const why = `${countOf(count, "approval")} of removals, the oldest in commit ${shortCommit(oldest.commit)}, ${oneOrMany(count, "is", "are")} not counted: only the newest that are not used up are`;
  return withWarning(plan, why, "Approve again what is withheld, with a trailer or rollcall approve-deletions.");
}

/** The same for approvals in commits that no listed key signed, where the Repository asks for signatures. */
export function withUnsigned<T extends WithheldPlan>(plan: T, unsigned: readonly RemovalApproval[]): T {
  const newest = unsigned.at(-1);
  if (!plan.budget.isExceeded || newest === undefined) return plan;
  const why = `the approval of removals in commit ${shortCommit(newest.commit)} does not count: no listed key signed that commit`;
  return withWarning(plan, why, "Approve with a trailer in a signed commit, or with rollcall approve-deletions.");
}

/** The same for approvals in the planned commit that lapsed, also where removals wait for another reason than the budget. */
export function withLapsed<T extends WithheldPlan>(
  plan: T,
  { lapsed }: { readonly lapsed: readonly RemovalApproval[] },
): T {
  const newest = lapsed.at(-1);
  const isWaiting = plan.budget.isExceeded || plan.budget.approvable !== undefined;
  if (!isWaiting || newest === undefined) return plan;
  const why = `the approval of removals in commit ${shortCommit(newest.commit)} does not count: it ended, or is older than the settings of the Repository`;
  return withWarning(plan, why, "Approve with a trailer in a new commit, or with rollcall approve-deletions.");
}

function withWarning<T extends WithheldPlan>(plan: T, message: string, fix: string): T {
  const problem: Problem = { code: "E_APPROVAL", severity: "warning", file: ".", line: 1, column: 1, message, fix };
  return { ...plan, problems: [...plan.problems, problem].sort(compareProblems) };
}
