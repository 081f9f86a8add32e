import { namespacedName } from "../model/namespaced-name.ts";
import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import { emptyFleet } from "../model/declared-fleet.ts";
import type { ClusterGroup } from "../model/generated/cluster-group.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository, RepositorySpec } from "../model/generated/repository.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { readPreviousName } from "../model/previous-name.ts";
import type { Problem } from "../model/problem.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { SelectionCost } from "../manifests/selection-cost.ts";
import type { PlannedCommit } from "./plan-commit.ts";
import type { SourceSnapshot } from "./read-source.ts";

/**
 * What a whole plan leaves for the next one, so that the next one need not read what did not change since. It holds only as
 * long as everything of that plan is on the hub and nothing of it waits.
 */
export interface PlanBasis {
  readonly commit: string;
  /** When (monotonic) the whole plan was made. */
  readonly plannedAtMs: number;
  /** Of the Repository: with another one, everything may be another choice. */
  readonly spec: RepositorySpec;
  /** Those of files: planning found none. */
  readonly problems: readonly Problem[];
  readonly rules: Pick<DeclaredFleet, "labelRules" | "defaultRules">;
  readonly declared: DeclaredIndex;
  /** See `CheckedFleet`. */
  readonly selection?: SelectionCost;
  /** What the plan changed: the next plan checks once more whether the hub has it as it was meant. */
  readonly written: readonly ObjectRef[];
}

/** After more changes than this the next plan is whole, too. */
const mostChanges = 1000;

/** What the files declare, by the object that it becomes. */
export interface DeclaredIndex {
  readonly clusters: Map<string, Declared<Cluster>>;
  readonly tokens: ReadonlyMap<string, Declared<ClusterRegistrationToken>>;
  readonly groups: ReadonlyMap<string, Declared<ClusterGroup>>;
  /** Clusters (`workspace/name`) that name this one as their former name. */
  successorsOf(key: string): readonly string[];
}

/**
 * The basis that a plan is for the next one; undefined when something of it waits, or when it has what only a whole plan
 * can weigh: policies, Secrets, problems between files and hub.
 */
export function basisOf(
  { spec }: Pick<Repository, "spec">,
  { commit }: Pick<SourceSnapshot, "commit">,
  { plan, fleet, fileProblemCount, selection }: PlannedCommit,
  plannedAtMs: number,
): PlanBasis | undefined {
  const { policies, secrets, labelRules, defaultRules } = fleet;
  if (policies.length > 0 || secrets.length > 0) return undefined;
  if (plan.withheld.length > 0 || plan.heldDeletes.length > 0 || plan.removals.length > 0) return undefined;
  if (plan.problems.length !== fileProblemCount || plan.changes.length > mostChanges) return undefined;
  const rules = { labelRules, defaultRules };
  return {
    ...{ commit: commit.id, plannedAtMs, spec, problems: plan.problems, rules },
    declared: indexFleet(fleet),
    ...(selection ? { selection } : {}),
    written: plan.changes.map(({ ref }) => ref),
  };
}

function indexFleet({ clusters, tokens, groups }: DeclaredFleet): DeclaredIndex {
  const successors = new Map<string, string[]>();
  const byName = new Map<string, Declared<Cluster>>();
  for (const declared of clusters) {
    const { object } = declared;
    const key = namespacedName(object);
    byName.set(key, declared);
    if (object.spec?.previousName === undefined) continue;
    const { workspace, name } = readPreviousName(object.spec.previousName, object.metadata.namespace ?? "");
    const former = `${workspace}/${name}`;
    successors.set(former, [...(successors.get(former) ?? []), key]);
  }
  return {
    clusters: byName,
    tokens: new Map(tokens.map((declared) => [namespacedName(declared.object), declared])),
    groups: new Map(groups.map((declared) => [namespacedName(declared.object), declared])),
    successorsOf: (key) => successors.get(key) ?? [],
  };
}

/** The part of a fleet, and of the hub, that a plan reads: objects by `describeRef`. */
export interface TouchedPart {
  readonly fleet: DeclaredFleet;
  list(type: ObjectRef["type"], get: (ref: ObjectRef) => KubeObject | undefined): readonly KubeObject[];
  /** Declared or not. */
  readonly count: number;
}

/** The part of the basis that these objects belong to, in the order in which they were touched. */
export function partOf({ declared, rules }: PlanBasis, touched: readonly ObjectRef[]): TouchedPart {
  const refs = new Map(touched.map((ref) => [describeRef(ref), ref]));
  const ofType = (type: ObjectRef["type"]): ObjectRef[] => [...refs.values()].filter((ref) => ref.type === type);
  const found = <T>(type: ObjectRef["type"], known: ReadonlyMap<string, Declared<T>>): Declared<T>[] =>
    ofType(type).flatMap(({ namespace = "", name }) => known.get(`${namespace}/${name}`) ?? []);
  return {
    fleet: {
      ...emptyFleet,
      clusters: found(resourceTypes.cluster, declared.clusters),
      tokens: found(resourceTypes.clusterRegistrationToken, declared.tokens),
      groups: found(resourceTypes.clusterGroup, declared.groups),
      ...rules,
    },
    list: (type, get) => ofType(type).flatMap((ref) => get(ref) ?? []),
    count: refs.size,
  };
}
