// planning: pure. Files and what is observed become desired objects, a plan, conditions and records; no I/O, clock,
// random or environment. `rollcall plan` and the daemon call the same functions.
import { belongsTo } from "../model/repository-label.ts";
import { appendAll } from "../core/append-all.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { DeletionBudget } from "../model/generated/deletion-budget.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { RemovalApproval } from "../model/generated/approval.ts";
import type {
  BudgetResult,
  PredecessorCluster,
  HeldDelete,
  Plan,
  PlannedChange,
  RemovalAccount,
  RemovalCharge,
  WithheldRemoval,
} from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems } from "../model/problem.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import type { CoveringApproval } from "./approvals.ts";
import { approvalKey, chargeApprovals, spendApprovals, waitingOf } from "./approvals.ts";
import { evaluateBudget, withApproval } from "./budget.ts";
import type { DesiredObject } from "./desired-objects.ts";
import { desiredObjects, withCommit } from "./desired-objects.ts";
import type { HoldInputs } from "./holds.ts";
import { holdReason } from "./holds.ts";
import type { Observed } from "./observed.ts";
import { isAppliedBy } from "./owned-fields.ts";
import type { ObjectOutcome } from "./plan-object.ts";
import { planObject } from "./plan-object.ts";
import type { RemovalPlan } from "./plan-removals.ts";
import { planRemovals, removalId } from "./plan-removals.ts";

export interface FleetInputs {
  readonly repositoryLabel: string;
  /** Undefined for a work tree. */
  readonly commit?: string;
  /** Where the commit range begins. */
  readonly base?: string;
  readonly fleet: DeclaredFleet;
  /** Problems found while files were read and checked. */
  readonly problems: readonly Problem[];
  readonly holds: HoldInputs;
  readonly observed: Observed;
  readonly budget?: DeletionBudget;
  /** Clusters that the repository owns on the hub. Default: those that `observed` lists. */
  readonly ownedBefore?: number;
  /** Removals that are counted in the last 24 hours. */
  readonly recentRemovals: number;
  /** Those that are counted, but perhaps not carried out: id -> the approval they are charged to. Default none. */
  readonly reserved?: ReadonlyMap<string, string | undefined>;
  /** How many of the reserved ones are among `recentRemovals`. Default: all. */
  readonly isReservedCounted?: boolean;
  /** What may let removals through, oldest first. Default none. */
  readonly approvals?: readonly CoveringApproval[];
  /** Every approval that is known. Default: those of `approvals`. */
  readonly knownApprovals?: readonly RemovalApproval[];
  /** Keys of the approvals that come with the planned commits. Default: none. */
  readonly newApprovals?: ReadonlySet<string>;
  readonly rememberedLabels: (
    workspace: string,
    name: string,
  ) => { token?: Record<string, string>; agent?: Record<string, string> } | undefined;
}

/**
 * What a commit will do to git's objects on the hub. Members' children follow from it (plan-member.ts). Where an approval lifts
 * a hold, it lets nothing through that it does not cover: the budget allows no removal by another history.
 */
export function planFleet(inputs: FleetInputs): Plan {
  const plan = planWith(inputs);
  const { holds } = inputs;
  const isLifted = holds.isApproved && (!holds.wasAppliedBefore || holds.isForeignHistory);
  const { wanted, approved = 0 } = plan.budget;
  return isLifted && wanted > approved ? planWith({ ...inputs, holds: { ...holds, isApproved: false } }) : plan;
}

function planWith(inputs: FleetInputs): Plan {
  const { observed, fleet, repositoryLabel, commit } = inputs;
  const desire = desiredObjects(fleet, {
    repositoryLabel,
    rememberedLabels: inputs.rememberedLabels,
  });
  const candidates = planRemovals(inputs, desire.objects);
  const problems = [...inputs.problems, ...desire.problems, ...candidates.problems];
  const withheld: WithheldRemoval[] = [...candidates.held];
  const { budget, account } = settleAccount(inputs, candidates);
  const removals = budget.isExceeded ? [] : candidates.allowed.map(({ removal }) => removal);
  if (budget.isExceeded) {
    appendAll(
      withheld,
      candidates.allowed.map(({ removal }) => ({ ...removal, because: "budget" as const })),
    );
  }
  const withheldClusters = new Map(withheld.map((removal) => [`${removal.kind} ${removal.cluster}`, removal]));

  const changes: PlannedChange[] = [];
  for (const desired of desire.objects) {
    const workspace = desired.ref.namespace ?? "";
    if (!observed.isWorkspace(workspace)) {
      problems.push(workspaceProblem(desired));
      continue;
    }
    const isProtocolWithheld = withheldClusters.has(`protocol ${workspace}/${desired.ref.name}`);
    if (desired.ref.type === resourceTypes.cluster && isProtocolWithheld) continue;
    const key = `${workspace}/${desired.ref.name}`;
    if (candidates.blockedSuccessors.has(key) && !observed.get(desired.ref)) continue;
    const move = candidates.moves.get(key);
    if (move && budget.isExceeded && !observed.get(desired.ref)) continue;
    const isLabelWithheld = withheldClusters.has(`label ${key}`);
    const outcome = planObject(desired, { observed, repositoryLabel, commit, isKeepingLabels: isLabelWithheld });
    if (outcome.problem) problems.push(outcome.problem);
    const change =
      move && !budget.isExceeded ? withPredecessor(desired, outcome, { former: move, commit }) : outcome.change;
    if (change) changes.push(change);
  }
  if (!budget.isExceeded)
    appendAll(
      changes,
      candidates.allowed.flatMap(({ change }) => (change ? [change] : [])),
    );
  const others = planOtherDeletes(inputs, desire.objects);
  appendAll(changes, others.changes);
  return {
    ...(commit === undefined ? {} : { commit }),
    ...(inputs.base === undefined ? {} : { base: inputs.base }),
    changes,
    removals,
    withheld,
    heldDeletes: others.held,
    budget: withApproval(budget, { withheld, heldDeletes: others.held }),
    account,
    problems: problems.sort(compareProblems),
  };
}

/** The plan with a mark on each removal that its base asks for already: `onBase` is what that one wants (wantedRemovals). */
export function markOnBase(plan: Plan, onBase: ReadonlySet<string>): Plan {
  const mark = <T extends object>(item: T, id: string): T => (onBase.has(id) ? { ...item, isOnBase: true } : item);
  return {
    ...plan,
    removals: plan.removals.map((removal) => mark(removal, removalId(removal))),
    withheld: plan.withheld.map((removal) => mark(removal, removalId(removal))),
    heldDeletes: plan.heldDeletes.map((held) => mark(held, describeRef(held.ref))),
  };
}

/**
 * Everything that this fleet wants removed, whether or not it may be: the ids of removals, and the describeRef texts of
 * other objects that would be deleted.
 */
export function wantedRemovals(inputs: FleetInputs): ReadonlySet<string> {
  const { repositoryLabel, rememberedLabels } = inputs;
  const desired = desiredObjects(inputs.fleet, { repositoryLabel, rememberedLabels }).objects;
  const { allowed, held } = planRemovals(inputs, desired);
  const ids = [...allowed.map(({ removal }) => removal), ...held].map(removalId);
  const others = planOtherDeletes(inputs, desired);
  return new Set([...ids, ...[...others.changes, ...others.held].map(({ ref }) => describeRef(ref))]);
}

/** Ids of what the files ask for, so that an approval can mean it: a file with errors asks for no removal. */
export function approvableRemovals(inputs: FleetInputs): ReadonlySet<string> {
  const { allowed, held, unasked } = candidatesOf(inputs);
  const ids = [...allowed.map(({ removal }) => removal), ...held].map(removalId);
  return new Set(ids.filter((id) => !unasked.has(id)));
}

/** The cluster of a removal, and the commit that it was applied from last. */
export interface RemovalSource {
  /** `workspace/name`. */
  readonly cluster: string;
  readonly commit: string;
}

/** Of each removal that the files ask for (by id), the origin of its cluster, as far as the hub records it. */
export function removalSources(inputs: FleetInputs): ReadonlyMap<string, RemovalSource> {
  const { allowed, held } = candidatesOf(inputs);
  const commits = new Map(
    inputs.observed
      .list(resourceTypes.cluster)
      .map(({ metadata: { namespace = "", name, annotations } }): [string, string | undefined] => [
        `${namespace}/${name}`,
        annotations?.[annotationKeys.sourceCommit],
      ]),
  );
  const sources = [...allowed.map(({ removal }) => removal), ...held].flatMap((removal): [string, RemovalSource][] => {
    const commit = commits.get(removal.cluster);
    return commit === undefined ? [] : [[removalId(removal), { cluster: removal.cluster, commit }]];
  });
  return new Map(sources);
}

function candidatesOf(inputs: FleetInputs): RemovalPlan {
  const { repositoryLabel, rememberedLabels } = inputs;
  return planRemovals(inputs, desiredObjects(inputs.fleet, { repositoryLabel, rememberedLabels }).objects);
}

/**
 * Evaluates the budget and reports what is charged to what. A removal that is counted already and still wanted
 * replaces its own count when it is counted anew, so that it is never counted twice.
 */
function settleAccount(
  inputs: FleetInputs,
  { allowed, held }: RemovalPlan,
): { readonly budget: BudgetResult; readonly account: RemovalAccount } {
  const { reserved = new Map<string, string | undefined>(), isReservedCounted = true, approvals = [] } = inputs;
  const returned = [...allowed.map(({ removal }) => removal), ...held].flatMap((removal) => {
    const id = removalId(removal);
    if (!reserved.has(id)) return [];
    const approval = reserved.get(id);
    return [{ id, cluster: removal.cluster, ...(approval === undefined ? {} : { approval }) }];
  });
  const known = spendApprovals(inputs.knownApprovals ?? approvals.map(({ approval }) => approval), returned, -1);
  const byKey = new Map(known.map((approval) => [approvalKey(approval), approval]));
  const ids = allowed.map(({ removal }) => removalId(removal));
  const charged = chargeApprovals(
    ids,
    approvals.map(({ approval, covers }) => ({ approval: byKey.get(approvalKey(approval)) ?? approval, covers })),
  );
  const budget = evaluateBudget({
    wanted: ids.length,
    recent: Math.max(0, inputs.recentRemovals - (isReservedCounted ? returned.length : 0)),
    ownedBefore: inputs.ownedBefore ?? countOwned(inputs),
    ...(inputs.budget ? { budget: inputs.budget } : {}),
    ...(approvals.length === 0 ? {} : { approved: charged.size }),
    approvedBefore: [...charged.values()].filter((key) => inputs.newApprovals?.has(key) !== true).length,
  });
  const isWithin = budget.wanted + budget.recent <= budget.limit;
  const charges = ids.map((id): RemovalCharge => {
    const approval = isWithin ? undefined : charged.get(id);
    return { id, ...(approval === undefined ? {} : { approval }) };
  });
  const made = budget.isExceeded ? [] : charges;
  const approvalsBefore = spendApprovals(known, waitingOf(returned, made), 1);
  return { budget, account: { charges: made, returned, approvals: approvalsBefore } };
}

/** The change that makes the successor, or (it is there as it should be) only marks the former cluster. */
function withPredecessor(
  desired: DesiredObject,
  { change, problem }: ObjectOutcome,
  { former, commit }: { readonly former: PredecessorCluster; readonly commit: string | undefined },
) {
  if (problem) return undefined;
  const { ref, position: source } = desired;
  const object = withCommit(desired.object, commit);
  const own = change ?? { kind: "update" as const, ref, object, manager: fieldManagers.git, fields: [], source };
  return own.kind === "create" || own.kind === "update" ? { ...own, former } : own;
}

/**
 * Tokens, groups and Secrets whose documents are deleted. They are no clusters: a token ends at once, and no budget counts
 * it.
 */
function planOtherDeletes(
  { observed, holds, repositoryLabel }: FleetInputs,
  desired: readonly DesiredObject[],
): { readonly changes: readonly PlannedChange[]; readonly held: readonly HeldDelete[] } {
  const types = [resourceTypes.clusterRegistrationToken, resourceTypes.clusterGroup, resourceTypes.secret];
  const changes: PlannedChange[] = [];
  const held: HeldDelete[] = [];
  // Names of ten thousand clusters are not put together for nothing.
  if (types.every((type) => observed.list(type).length === 0)) return { changes, held };
  const wanted = new Set(desired.map(({ ref }) => describeRef(ref)));
  const needed = secretsOfLeaving(observed, wanted);
  for (const type of types) {
    for (const live of observed.list(type)) {
      if (!belongsTo(live, repositoryLabel) || !isAppliedBy(live, fieldManagers.git)) continue;
      const ref = refOf(type, live);
      const key = describeRef(ref);
      const { annotations, deletionTimestamp, uid = "", resourceVersion = "" } = live.metadata;
      if (deletionTimestamp !== undefined || wanted.has(key) || needed.has(key)) continue;
      const file = annotations?.[annotationKeys.sourceFile];
      const reason = `${file ?? "its file"} no longer declares it`;
      const because = holdReason(live, undefined, holds, observed.isComplete);
      if (because) held.push({ ref, because, reason, ...(file === undefined ? {} : { file }) });
      else changes.push({ kind: "delete", ref, uid, resourceVersion, reason });
    }
  }
  return { changes, held };
}

/** Kubeconfigs of clusters that are not declared any more: the hub takes the agent away by them, so they go last. */
function secretsOfLeaving(observed: Observed, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const type = resourceTypes.secret;
  return new Set(
    (observed.list(resourceTypes.cluster) as readonly Cluster[])
      .filter((live) => !wanted.has(describeRef(refOf(resourceTypes.cluster, live))))
      .flatMap(({ metadata: { namespace = "" }, spec }) =>
        spec?.kubeConfigSecretRef ? [describeRef({ type, namespace, name: spec.kubeConfigSecretRef.name })] : [],
      ),
  );
}

/** Clusters on the hub that the repository owns. */
export function countOwned({ observed, repositoryLabel }: Pick<FleetInputs, "observed" | "repositoryLabel">): number {
  return observed
    .list(resourceTypes.cluster)
    .filter((live) => belongsTo(live, repositoryLabel) && isAppliedBy(live, fieldManagers.git)).length;
}

function workspaceProblem({ ref, position }: DesiredObject): Problem {
  return {
    code: "E_NAMESPACE",
    severity: "error",
    file: position.file,
    line: position.line,
    column: position.column,
    message: `namespace "${ref.namespace}" is not a workspace: it does not exist on the hub, or does not carry the label ${labelKeys.workspace}`,
    fix: `Use a workspace that is there, or run: kubectl create namespace ${ref.namespace}; kubectl label namespace ${ref.namespace} ${labelKeys.workspace}=true`,
    object: describeRef(ref),
  };
}
