import { shortCommit } from "../core/short-commit.ts";
import { countOf, oneOrMany } from "../core/count-of.ts";
import { compareNames } from "../core/compare-names.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { ObjectChange, PlanReport, WithheldChange } from "../model/generated/plan-report.ts";
import type { Repository } from "../model/generated/repository.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { HeldDelete, HubWorkPlan, Plan, Removal, WithheldRemoval } from "../model/plan.ts";
import type { Observed } from "./observed.ts";
import { approvalKey } from "./approvals.ts";
import { policyNotes } from "./policy-notes.ts";
import { reviewAgents } from "./review-agents.ts";
import { reviewChange } from "./review-change.ts";
import { withHubWork } from "./review-hub-work.ts";
import { reviewSelectors } from "./review-selectors.ts";
import { signatureNotes } from "./squash-notes.ts";

/** Notes on what the hub does that are shown. */
const mostHubNotes = 50;

export interface ReviewInputs {
  readonly repository: Repository;
  readonly plan: Plan;
  readonly observed: Observed;
  /** What the files of the planned commit declare. */
  readonly fleet: DeclaredFleet;
  /** What the files of the base declare, where they can be read: without them rules are compared to nothing. */
  readonly fleetBefore?: DeclaredFleet;
  readonly basis: PlanReport["basis"];
  /** What is counted in the whole fleet, when `observed` has only a part of it: clusters, and those of each selector. */
  readonly wholeFleet?: { readonly clusterCount: number; readonly selected: Readonly<Record<string, number>> };
  /** The work of the hub's controllers after each change. Default: not part of the report. */
  readonly hubWork?: HubWorkPlan;
  /** What a reader should know first. */
  readonly notes?: readonly string[];
  /** Whether commits are verified by signatures. Default: as the Repository's spec declares. */
  readonly needsSignature?: boolean;
}

/**
 * A plan as a reviewer reads it: removals first, the meaning of each change, the clusters that each selector gains and
 * loses, the agents that are rolled out. It is complete and adds nothing to the plan; secrets are masked.
 */
export function reviewPlan(inputs: ReviewInputs): PlanReport {
  const { repository, plan, observed, basis, notes = [] } = inputs;
  const needsSignature = inputs.needsSignature ?? repository.spec.verify !== undefined;
  const { commit, base, budget, problems } = plan;
  const { name, namespace } = repository.metadata;
  const withheld = [
    ...plan.withheld.filter(isOwn).map(reviewWithheld),
    ...plan.heldDeletes.filter(isOwn).map(reviewHeldDelete),
  ];
  const changes = plan.changes
    .map((change) => withHubWork(reviewChange(change, observed), inputs.hubWork?.work.get(describeRef(change.ref))))
    .sort((a, b) => weightOf(a) - weightOf(b) || compareNames(keyOf(a), keyOf(b)));
  const countIn = (...actions: ObjectChange["action"][]): number =>
    changes.filter(({ action }) => actions.includes(action)).length;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "PlanReport",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    ...(commit === undefined ? {} : { commit }),
    ...(base === undefined ? {} : { base }),
    basis,
    counts: {
      remove: countIn("Leave", "Delete"),
      create: countIn("Create"),
      update: countIn("Update", "Move"),
      withheld: withheld.length,
      errors: problems.filter(({ severity }) => severity === "error").length,
      warnings: problems.filter(({ severity }) => severity === "warning").length,
    },
    changes,
    withheld: withheld.sort((a, b) => kindWeight(a.kind) - kindWeight(b.kind) || compareNames(keyOf(a), keyOf(b))),
    budget: { ...budget, ...(needsSignature ? { needsSignature } : {}) },
    ...waitingOnBase(plan),
    selectors: reviewSelectors({
      ...inputs,
      ...(inputs.wholeFleet ? { selectedBefore: inputs.wholeFleet.selected } : {}),
    }),
    agents: reviewAgents(plan, observed, {
      rollout: repository.spec.agentRollout ?? {},
      clusterCount: inputs.wholeFleet?.clusterCount,
    }),
    problems: problems.map((problem) => ({ ...problem })),
    notes: [
      ...notes,
      ...policyNotes(inputs.fleetBefore, inputs.fleet),
      ...suspensionNotes(repository),
      ...planNotes(plan),
      ...signatureNotes(plan, needsSignature),
      ...boundNotes(inputs.hubWork?.notes ?? []),
    ],
  };
}

/** A suspended Repository carries out no plan. */
export function suspensionNotes({ spec }: Pick<Repository, "spec">): string[] {
  return spec.suspend === true ? ["The Repository is suspended: nothing of this happens until it is resumed."] : [];
}

/** A reader of a comment needs no hundred names of the same kind. */
export function boundNotes(notes: readonly string[]): string[] {
  const left = notes.length - mostHubNotes;
  return left <= 0 ? [...notes] : [...notes.slice(0, mostHubNotes), `There are ${left} more notes of this kind.`];
}

/** True for what the planned commits cause themselves. */
export function isOwn({ isOnBase }: Pick<Removal, "isOnBase">): boolean {
  return isOnBase !== true;
}

/** What waits on the base already: not of the planned commits, and shown apart. */
function waitingOnBase({ withheld, heldDeletes }: Plan): Pick<PlanReport, "waitingOnBase"> {
  const isWaiting = (removal: Pick<Removal, "isOnBase">): boolean => !isOwn(removal);
  const waiting = [
    ...withheld.filter(isWaiting).map(reviewWithheld),
    ...heldDeletes.filter(isWaiting).map(reviewHeldDelete),
  ];
  if (waiting.length === 0) return {};
  return { waitingOnBase: waiting.sort((a, b) => compareNames(keyOf(a), keyOf(b))) };
}

/** What a reader of the plan should know of the base, and of the approvals that the plan counts on. */
export function planNotes(plan: Plan): string[] {
  return [...baseNotes(plan), ...approvalNotes(plan)];
}

function baseNotes({ withheld, heldDeletes, removals, budget }: Plan): string[] {
  const isBase = (removal: Pick<Removal, "isOnBase">): boolean => !isOwn(removal);
  const all = [...withheld, ...heldDeletes];
  const waiting = all.filter(isBase).length;
  const released = removals.filter(isBase).length;
  const own = all.length - waiting;
  const ownOfBudget = withheld.filter((removal) => isOwn(removal) && removal.because === "budget").length;
  return [
    ...(waiting > 0 && own === 0
      ? [
          `On the base, ${countRemovals(waiting)} waiting. These commits neither cause nor release ${oneOrMany(waiting, "it", "them")}.`,
        ]
      : []),
    ...(waiting > 0 && ownOfBudget > 0 && budget.isExceeded
      ? [
          `On the base, ${countRemovals(waiting)} waiting. All removals are let through together or not at all: an approval of ${budget.wanted} here also releases ${oneOrMany(waiting, "that one", "those")}.`,
        ]
      : []),
    ...(released > 0 ? [`${countRemovals(released)} waiting on the base, and released by these commits.`] : []),
  ];
}

function countRemovals(count: number): string {
  return `${countOf(count, "removal")} ${oneOrMany(count, "is", "are")}`;
}

/** Which ways of merging keep the approvals that this plan counts on. */
function approvalNotes({ account }: Plan): string[] {
  const used = new Set(account.charges.flatMap(({ approval }) => approval ?? []));
  return account.approvals
    .filter((approval) => approval.by === "Trailer" && used.has(approvalKey(approval)))
    .map(
      ({ commit }) =>
        `The approval in commit ${shortCommit(commit)} counts only if it reaches the target branch: a merge commit and a fast-forward keep it, a rebase keeps it for the removals of that commit and of earlier ones, a squash drops it unless the message of the squashed commit has the line.`,
    );
}

function reviewWithheld({ kind, cluster, because, reason }: WithheldRemoval): WithheldChange {
  const slash = cluster.indexOf("/");
  const place = { kind: "Cluster", namespace: cluster.slice(0, slash), name: cluster.slice(slash + 1) };
  return { ...place, action: removalNames[kind], because, reason };
}

function reviewHeldDelete({ ref: { type, namespace, name }, because, reason }: HeldDelete): WithheldChange {
  const place = { kind: type.kind, ...(namespace === undefined ? {} : { namespace }), name };
  return { ...place, action: "Delete", because, reason };
}

const removalNames = { leave: "Leave", move: "Move", protocol: "ProtocolChange", label: "LabelRemoval" } as const;

const actionOrder: readonly ObjectChange["action"][] = ["Leave", "Delete", "Move", "Create", "Update"];

/** Clusters before tokens before groups, within each action. */
const kindOrder: readonly string[] = ["Cluster", "ClusterRegistrationToken", "ClusterGroup"];

function weightOf({ action, kind }: ObjectChange): number {
  return actionOrder.indexOf(action) * 10 + kindWeight(kind);
}

function kindWeight(kind: string): number {
  const index = kindOrder.indexOf(kind);
  return index < 0 ? kindOrder.length : index;
}

function keyOf({ kind, namespace = "", name }: Pick<ObjectChange, "kind" | "namespace" | "name">): string {
  return `${kind}/${namespace}/${name}`;
}
