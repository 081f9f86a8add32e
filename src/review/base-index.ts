import { isJsonObject } from "../core/json.ts";
import { sha256Hex } from "../core/digest.ts";
import type { RepositorySize } from "../manifests/repository-size.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository } from "../model/generated/repository.ts";
import { namespacedName } from "../model/namespaced-name.ts";
import { readPreviousName } from "../model/previous-name.ts";
import type { Problem } from "../model/problem.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { Observed } from "../planning/observed.ts";
import { countOwned } from "../planning/plan-fleet.ts";
import { countSelected } from "../planning/review-selectors.ts";
import { basisOf } from "./plan-basis.ts";
import type { PlannedCommit } from "./plan-commit.ts";
import type { SourceSnapshot } from "./read-source.ts";
import { secretsOf } from "./read-source.ts";

/**
 * What a plan needs of a base besides the files that change: its rules, tokens and groups, and what is counted. It depends on the
 * base's tree and the Repository alone, so that a later command may use it. Its size does not follow the number of clusters.
 */
export interface BaseIndex {
  readonly size: RepositorySize;
  readonly problems: readonly Problem[];
  readonly fleet: Pick<DeclaredFleet, "labelRules" | "defaultRules" | "tokens" | "groups">;
  /** How much more rules and groups may cost; absent: they do not cost too much, whatever labels clusters have. */
  readonly selectionRoom?: number;
  readonly clusterCount: number;
  readonly ownedCount: number;
  /** Clusters (`workspace/name`) whose plan may depend on another cluster. */
  readonly entangled: readonly string[];
  /** Clusters that each group and rule selects, by the key of `countSelected`. */
  readonly selected: Readonly<Record<string, number>>;
}

/** Where indexes are kept between commands. */
export interface BaseIndexes {
  /** The index that was kept under this key; undefined when there is none that can be trusted. */
  read(key: string): Promise<unknown>;
  /** Keeps an index; a place that cannot be written costs only the time of the next command. */
  write(key: string, index: BaseIndex): Promise<void>;
  /** A base with fewer files is read as a whole: that is faster than its index. */
  readonly leastFiles: number;
}

/** Names what an index depends on besides the program. */
export function baseIndexKey(treeId: string, { metadata, spec }: Repository): string {
  return sha256Hex(JSON.stringify([treeId, metadata.namespace, metadata.name, spec]));
}

/** A base that was read and planned whole. */
export interface IndexInputs {
  readonly repository: Repository;
  readonly snapshot: SourceSnapshot;
  /** The base, planned against the hub that has it. */
  readonly planned: PlannedCommit;
  readonly observed: Observed;
  readonly repositoryLabel: string;
}

/**
 * The index of a base. Undefined when only a whole plan can show what a change does: a file has an error, something of
 * the base waits, or there are policies, Secrets or objects of other projects.
 */
export function indexBase(inputs: IndexInputs): BaseIndex | undefined {
  const { repository, snapshot, planned, observed, repositoryLabel } = inputs;
  const { fleet, plan, selection } = planned;
  if (snapshot.size === undefined || plan.changes.length > 0 || fleet.foreignObjects.length > 0) return undefined;
  if (plan.problems.some(({ severity }) => severity === "error")) return undefined;
  // Without keys, the planned fleet has none of them.
  if (secretsOf(snapshot).size > 0) return undefined;
  if (basisOf(repository, snapshot, planned, 0) === undefined) return undefined;
  const { labelRules, defaultRules, tokens, groups, clusters } = fleet;
  return {
    size: snapshot.size,
    problems: plan.problems,
    fleet: { labelRules, defaultRules, tokens, groups },
    ...(selection ? { selectionRoom: selection.room } : {}),
    clusterCount: observed.list(resourceTypes.cluster).length,
    ownedCount: countOwned({ observed, repositoryLabel }),
    entangled: entangledOf(clusters.map(({ object }) => object)),
    selected: Object.fromEntries(countSelected({ plan, observed, fleet, repository })),
  };
}

/** Clusters that take the place of another, those whose place is taken, and those that share a Secret. */
function entangledOf(clusters: readonly Cluster[]): string[] {
  const found = new Set<string>();
  const users = new Map<string, string>();
  for (const cluster of clusters) {
    const key = namespacedName(cluster);
    const { namespace = "" } = cluster.metadata;
    const { previousName, kubeConfigSecretRef } = cluster.spec ?? {};
    if (previousName !== undefined) {
      const former = readPreviousName(previousName, namespace);
      found.add(key).add(`${former.workspace}/${former.name}`);
    }
    if (kubeConfigSecretRef === undefined) continue;
    const secret = `${namespace}/${kubeConfigSecretRef.name}`;
    const other = users.get(secret);
    if (other === undefined) users.set(secret, key);
    else found.add(key).add(other);
  }
  return [...found];
}

/** The index that was read, when it has the form of one. */
export function asBaseIndex(value: unknown): BaseIndex | undefined {
  if (!isJsonObject(value)) return undefined;
  const { size, fleet, selected, problems, entangled, clusterCount, ownedCount, selectionRoom = 0 } = value;
  const isWhole =
    [size, fleet, selected].every(isJsonObject) &&
    [problems, entangled].every(Array.isArray) &&
    [clusterCount, ownedCount, selectionRoom].every((count) => typeof count === "number");
  return isWhole ? (value as unknown as BaseIndex) : undefined;
}
