import { compareNames } from "../core/compare-names.ts";
import { countOf, oneOrMany } from "../core/count-of.ts";
import type { RepositoryStatus } from "../model/generated/repository.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { Plan } from "../model/plan.ts";
import { explainApproval, explainHold } from "../planning/plan-words.ts";

/** Reasons that hold one object back, and nothing else of the range. */
const ownReasons: ReadonlySet<string> = new Set(["held-by-bad-file", "protected", "suspended"]);

/** True when something else than one object of its own holds removals back. */
export function isRangeWithheld({ withheld, heldDeletes }: Plan): boolean {
  return [...withheld, ...heldDeletes].some(({ because }) => !ownReasons.has(because));
}

/** What waits and what lets it through, for conditions, plans and the status branch alike. */
export function describeWithheld(plan: Plan): string {
  const { budget, withheld, heldDeletes, commit } = plan;
  const advice =
    budget.trailer === undefined
      ? ""
      : ` ${explainApproval({ budget, ...(commit === undefined ? {} : { commit }) })}: ${budget.trailer}`;
  const recent = budget.recent > 0 ? ` and ${budget.recent} of the last 24 hours` : "";
  const otherCount = withheld.length + heldDeletes.length - budget.wanted;
  const others =
    otherCount > 0
      ? ` ${countOf(otherCount, "other")} ${oneOrMany(otherCount, "waits", "wait")} for another reason.`
      : "";
  if (budget.isExceeded)
    return `${countOf(budget.wanted, "removal")}${recent} ${oneOrMany(budget.wanted + budget.recent, "is", "are")} more than the deletion budget of ${budget.limit}: none of them happens.${others}${advice}`;
  const [first] = inOrder(plan);
  return `${countOf(withheld.length + heldDeletes.length, "removal")} withheld, ${explainHold(first?.because ?? "")} (${first?.object}).${advice}`;
}

/** What is not removed for now: clusters first, those first that an approval lets through, each by name. */
export function withheldObjects(plan: Plan): string[] {
  return inOrder(plan).map(({ object }) => object);
}

/** The order in which the hub lists its objects has no effect: what is reported does not change with a restart. */
function inOrder({ withheld, heldDeletes }: Plan): readonly { readonly object: string; readonly because: string }[] {
  const clusters = [...withheld].sort(
    (a, b) =>
      Number(ownReasons.has(a.because)) - Number(ownReasons.has(b.because)) || compareNames(a.cluster, b.cluster),
  );
  const types = [...new Set(heldDeletes.map(({ ref }) => ref.type))];
  const others = types.flatMap((type) =>
    heldDeletes
      .filter(({ ref }) => ref.type === type)
      .map(({ ref, because }) => ({ object: describeRef(ref), because }))
      .sort((a, b) => compareNames(a.object, b.object)),
  );
  return [...clusters.map(({ cluster, because }) => ({ object: `Cluster/${cluster}`, because })), ...others];
}

/** For `status.withheld`; undefined when nothing of the plan is withheld. */
export function withheldRecord(plan: Plan, commit: string): RepositoryStatus["withheld"] {
  const waiting = inOrder(plan);
  const [first] = waiting;
  if (first === undefined) return undefined;
  return {
    count: waiting.length,
    allowed: Math.max(0, plan.budget.limit - plan.budget.recent),
    ...approvableOf(plan),
    commit,
    reason: first.because,
    objects: waiting.slice(0, 20).map(({ object }) => object),
  };
}

/** The count that `approve-deletions` must name. */
function approvableOf({ budget: { approvable, needsDocument } }: Plan): { readonly approvable?: number } {
  return approvable === undefined || needsDocument === true ? {} : { approvable };
}
