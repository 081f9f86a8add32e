import { isJsonEqual } from "../core/json.ts";
import { isSameToOthers } from "../manifests/replaced-document.ts";
import type { SelectionCost } from "../manifests/selection-cost.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { memberStateSubject } from "../model/member-state.ts";
import { namespacedName } from "../model/namespaced-name.ts";
import type { Plan } from "../model/plan.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ParsedFile } from "../model/source.ts";
import type { FleetInputs } from "../planning/plan-fleet.ts";
import { planFleet } from "../planning/plan-fleet.ts";
import { countRecentRemovals, reservedRemovals } from "../planning/repository-state.ts";
import type { PlanBasis } from "./plan-basis.ts";
import { partOf } from "./plan-basis.ts";
import type { PlanCommitInputs } from "./plan-commit.ts";
import { historyOf, readRange } from "./plan-commit.ts";
import { readApprovals } from "./read-approvals.ts";

export interface PlanSinceInputs extends PlanCommitInputs {
  readonly basis: PlanBasis;
  /** Objects of the hub that changed since the basis was planned, and others: they are read too. */
  readonly touched: readonly ObjectRef[];
  /** Clusters that the repository owns on the hub. */
  readonly ownedClusters: number;
}

export interface PlanSince {
  readonly plan: Plan;
  /** For the plan after this one. The basis before is used up. */
  readonly basis: PlanBasis;
  /** How many objects were read. */
  readonly visitedCount: number;
}

/** Holds are the reasons why a removal waits: where there would be one, a whole plan is made. */
const noHolds: Omit<FleetInputs["holds"], "changedFiles"> = {
  hasDocuments: true,
  brokenFiles: new Set(),
  brokenObjects: new Set(),
  hasUnidentifiedNewFile: false,
  files: new Set(),
  wasAppliedBefore: true,
  isForeignHistory: false,
  isApproved: false,
};

/**
 * The plan of a commit from only what changed since the basis, in files and on the hub. It is the one that planCommit makes,
 * or undefined: then a whole plan is required. It never contains a removal, or a reason why one waits.
 */
export async function planSince(inputs: PlanSinceInputs): Promise<PlanSince | undefined> {
  const { basis, git, repository, snapshot, observed, nowMs } = inputs;
  const { status, spec } = repository;
  if (!observed.isComplete || !isJsonEqual(spec, basis.spec)) return undefined;
  const replaced = replacedClusters(inputs);
  if (replaced === undefined) return undefined;
  const head = snapshot.commit.id;
  const range = await readRange(git, status, head);
  const reservations = reservedRemovals(status, nowMs);
  const isInHistory = historyOf(inputs);
  const approvals = await readApprovals(git, {
    ...{ repository, head, base: range.base, isInHistory },
    reserved: new Set([...reservations.reserved.values()].flatMap((key) => key ?? [])),
    isSigned: async (commit) => (await inputs.isSigned?.(commit, head)) ?? true,
  });
  if (approvals.atHead.length + approvals.earlier.length > 0) return undefined;
  const selection = selectionAfter(basis, replaced);
  if (selection !== undefined && selection.room < 0) return undefined;
  for (const { after } of replaced) basis.declared.clusters.set(namespacedName(after.object), after);
  const changed = replaced.map(({ after }) => refOf(resourceTypes.cluster, after.object));
  const before = [...basis.written, ...inputs.touched].flatMap((ref) => dependentsOf(ref, basis));
  const part = partOf(basis, [...changed, ...before]);
  const plan = planFleet({
    repositoryLabel: repositoryLabelOf(repository),
    commit: head,
    ...(status?.appliedCommit === undefined ? {} : { base: status.appliedCommit }),
    fleet: part.fleet,
    problems: basis.problems,
    holds: { ...noHolds, changedFiles: new Set(range.changedPaths) },
    observed: {
      isComplete: true,
      get: (ref) => observed.get(ref),
      list: (type) => part.list(type, (ref) => observed.get(ref)),
      isWorkspace: (namespace) => observed.isWorkspace(namespace),
    },
    ...(spec.deletionBudget ? { budget: spec.deletionBudget } : {}),
    ownedBefore: inputs.ownedClusters,
    recentRemovals: countRecentRemovals(status, nowMs),
    ...reservations,
    knownApprovals: approvals.known,
    rememberedLabels: inputs.rememberedLabels,
  });
  if (!isPlain(plan, basis)) return undefined;
  const written = plan.changes.map(({ ref }) => ref);
  return {
    plan,
    basis: { ...basis, ...(selection ? { selection } : {}), commit: head, written },
    visitedCount: part.count,
  };
}

/** Clusters whose documents have another content than in the basis; undefined when more than that changed. */
function replacedClusters({ basis, repository, snapshot, checkFleet }: PlanSinceInputs): Replaced[] | undefined {
  if (snapshot.commit.id === basis.commit) return [];
  if (snapshot.replaced?.from !== basis.commit) return undefined;
  const clustersOf = (file: ParsedFile): readonly Declared<Cluster>[] | undefined => {
    const { fleet, problems, brokenObjects } = checkFleet([file], repository);
    const isClean = file.problems.length + problems.length + brokenObjects.size + fleet.foreignObjects.length === 0;
    return isClean && fleet.clusters.length === file.documents.length ? fleet.clusters : undefined;
  };
  const found: Replaced[] = [];
  for (const { before, after } of snapshot.replaced.files) {
    const [was, is] = [clustersOf(before), clustersOf(after)];
    if (was === undefined || is?.length !== was.length) return undefined;
    for (const [index, cluster] of is.entries()) {
      const known = was[index];
      if (known === undefined || !isReplacement(known, cluster, basis)) return undefined;
      found.push({ before: known, after: cluster });
    }
  }
  return found;
}

interface Replaced {
  readonly before: Declared<Cluster>;
  readonly after: Declared<Cluster>;
}

/** What rules and groups cost with the labels that the clusters have now. */
function selectionAfter({ selection }: PlanBasis, replaced: readonly Replaced[]): SelectionCost | undefined {
  if (selection === undefined) return undefined;
  const { costOf } = selection;
  const growth = replaced.reduce((sum, { before, after }) => sum + costOf(after.object) - costOf(before.object), 0);
  return { room: selection.room - growth, costOf };
}

/** The former version is the one in force, and other files are compared with nothing that differs. */
function isReplacement(before: Declared<Cluster>, after: Declared<Cluster>, { declared }: PlanBasis): boolean {
  const isInForce = declared.clusters.get(namespacedName(before.object)) === before;
  const isPlainProtocol = after.object.spec?.protocol !== "clusternet";
  return isInForce && isPlainProtocol && isSameToOthers({ ...before.object }, { ...after.object });
}

/** The objects whose plan may depend on this one of the hub. */
function dependentsOf(ref: ObjectRef, { declared }: PlanBasis): ObjectRef[] {
  const { namespace = "", name } = ref;
  const cluster = ref.type === resourceTypes.configMap ? memberStateSubject(name) : name;
  const isOfCluster = ref.type === resourceTypes.configMap || ref.type === resourceTypes.cluster;
  if (!isOfCluster) return [ref];
  if (cluster === undefined) return [];
  const keys = [`${namespace}/${cluster}`, ...declared.successorsOf(`${namespace}/${cluster}`)];
  return keys.map((key) => {
    const separator = key.indexOf("/");
    return { type: resourceTypes.cluster, namespace: key.slice(0, separator), name: key.slice(separator + 1) };
  });
}

/** Nothing but objects that are made or changed by themselves. */
function isPlain(
  { changes, removals, withheld, heldDeletes, problems, account, budget }: Plan,
  basis: PlanBasis,
): boolean {
  const isRemoving = removals.length + withheld.length + heldDeletes.length + account.charges.length > 0;
  const isOwn = changes.every((change) =>
    change.kind === "create" ? true : change.kind === "update" && change.former === undefined,
  );
  return !isRemoving && !budget.isExceeded && problems.length === basis.problems.length && isOwn;
}
