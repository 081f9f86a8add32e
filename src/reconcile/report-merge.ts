import { repositoryLabelOf } from "../model/repository-label.ts";
import { countOf, oneOrMany } from "../core/count-of.ts";
import type { CommitStatus } from "../forge/forge.ts";
import { statusContext, validationContext } from "../forge/forge.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { PlanReport } from "../model/generated/plan-report.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { HubWorkPlan } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import type { Observed } from "../planning/observed.ts";
import { summarizePlan } from "../planning/plan-words.ts";
import { renderPlanMarkdown } from "../planning/render-plan-markdown.ts";
import { squashNotes } from "../planning/squash-notes.ts";
import { reviewPlan } from "../planning/review-plan.ts";
import type { PlannedMerge } from "../review/plan-merge.ts";
import { newProblems } from "../review/plan-merge.ts";

export interface MergeToReport {
  readonly repository: Repository;
  /** Problems of the main branch: they are not attributed to a pull request. */
  readonly problems: readonly Problem[];
  readonly merge: PlannedMerge;
  readonly observed: Observed;
  readonly fleetBefore: DeclaredFleet;
  readonly hubWork: HubWorkPlan;
  /** The message that the forge proposes for a squash. Default: it is not known. */
  readonly squashMessage?: string;
}

/** A planned merge as the text of a comment and of two statuses. */
export function reportMerge(merged: MergeToReport): {
  readonly markdown: string;
  readonly statuses: readonly CommitStatus[];
} {
  const { repository, problems, merge, observed, fleetBefore, hubWork, squashMessage } = merged;
  const blamed = newProblems(merge, problems);
  const errors = blamed.filter(({ severity }) => severity === "error").length;
  const older = merge.plan.problems.filter(({ severity }) => severity === "error").length - errors;
  const reviewed = reviewPlan({
    repository,
    plan: merge.plan,
    observed,
    fleet: merge.fleet,
    fleetBefore,
    hubWork,
    basis: { source: "Hub" },
    notes: [...conflictNote(merge.conflicts), ...olderNote(older)],
  });
  const report = { ...reviewed, notes: [...reviewed.notes, ...squashNotes(reviewed.budget, squashMessage)] };
  const name = repositoryLabelOf(repository);
  const state = errors > 0 ? "failure" : "success";
  return {
    markdown: renderPlanMarkdown(report),
    statuses: [
      { context: validationContext(name), state, description: describeErrors(errors, blamed.length - errors) },
      {
        context: statusContext(name),
        state: stateOfPlan(errors, report),
        description: `Plan: ${summarizePlan(report)}`,
      },
    ],
  };
}

/** What is withheld waits for a person: the request may be merged, but it does not do what its files declare. */
function stateOfPlan(errors: number, { counts }: PlanReport): CommitStatus["state"] {
  if (errors > 0) return "failure";
  return counts.withheld > 0 ? "pending" : "success";
}

function describeErrors(errors: number, warnings: number): string {
  const warned = warnings === 0 ? "" : `, ${countOf(warnings, "warning")}`;
  return errors === 0 ? `No errors${warned}` : `${countOf(errors, "error")}${warned} in files`;
}

function conflictNote(conflicts: readonly string[]): string[] {
  if (conflicts.length === 0) return [];
  const [first = ""] = conflicts;
  const more = conflicts.length > 1 ? ` and ${countOf(conflicts.length - 1, "more file")}` : "";
  return [
    `Both this branch and the target branch changed ${first}${more} since they parted; the plan takes this branch's version. Bring the branch up to date to be sure.`,
  ];
}

function olderNote(count: number): string[] {
  if (count === 0) return [];
  return [`${count} of the errors below ${oneOrMany(count, "was", "were")} there before this branch.`];
}
