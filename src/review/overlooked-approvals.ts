import { countOf, oneOrMany } from "../core/count-of.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { RemovalApproval } from "../model/generated/approval.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems } from "../model/problem.ts";

/** The plan; where it withholds removals that one of these approvals may cover, with a warning that names them. */
export function withOverlooked<
  T extends Pick<Plan, "problems"> & { readonly budget: Pick<Plan["budget"], "isExceeded"> },
>(plan: T, overlooked: readonly RemovalApproval[]): T {
  const [oldest] = overlooked;
  if (!plan.budget.isExceeded || oldest === undefined) return plan;
  const count = overlooked.length;
  const message = `${countOf(count, "approval")} of removals, the oldest in commit ${shortCommit(oldest.commit)}, ${oneOrMany(count, "is", "are")} not counted: only the newest that are not used up are`;
  const fix = "Approve again what is withheld, with a trailer or rollcall approve-deletions.";
  const problem: Problem = { code: "E_APPROVAL", severity: "warning", file: ".", line: 1, column: 1, message, fix };
  return { ...plan, problems: [...plan.problems, problem].sort(compareProblems) };
}
