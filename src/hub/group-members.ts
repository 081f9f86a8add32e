import { setImmediate } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import { compareNames } from "../core/compare-names.ts";
import { SortedLines } from "../core/sorted-lines.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterGroup } from "../model/generated/cluster-group.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ClusterSelector } from "../model/selector.ts";
import type { SelectorIndex } from "../model/selector-index.ts";
import { indexSelectors } from "../model/selector-index.ts";
import { labelKeys } from "../model/well-known.ts";
import { findCondition } from "../planning/conditions.ts";
import { withoutEditsByHand } from "../planning/edits-by-hand.ts";
import type { HubView } from "./hub-view.ts";

/** How often all members are computed again, also without a change: a mistake of an earlier pass does not stay. */
const anewMs = 3_600_000;
/** Parts of selectors that are compared with clusters before the event loop runs other work: some ten milliseconds. */
const partsInTurn = 100_000;

/** The members of a group. */
export interface Members {
  clusters: number;
  readyClusters: number;
  /** Names of the others, in order, one a line. */
  readonly notReady: SortedLines;
  /** The group, as it was when its status showed these members. A change of a member unsets it. */
  shownBy: ClusterGroup | undefined;
}

interface FoundCluster {
  readonly groups: readonly string[];
  readonly isReady: boolean;
}

/** What is known of a workspace. */
interface Kept {
  /** What the groups are and select. */
  readonly selection: string;
  readonly sinceMs: number;
  readonly finders: ReadonlyMap<string | undefined, Finder>;
  readonly members: ReadonlyMap<string, Members>;
  readonly found: Map<string, FoundCluster>;
  /** Clusters that are to be compared with the groups. */
  readonly changed: Set<string>;
}

/**
 * Finds the members of groups. It keeps them from one pass to the next, so that a pass visits the clusters that changed since.
 * All are visited at first, when a group is added, removed or selects otherwise, and once an hour.
 */
export class GroupMembers {
  readonly #view: Pick<HubView, "get" | "list" | "subscribe">;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #kept = new Map<string, Kept>();
  readonly #unsubscribe: () => void;

  constructor(view: Pick<HubView, "get" | "list" | "subscribe">, clock: Pick<Clock, "monotonicMs">) {
    this.#view = view;
    this.#clock = clock;
    this.#unsubscribe = view.subscribe(({ ref }) => {
      if (ref.type === resourceTypes.cluster) this.#kept.get(ref.namespace ?? "")?.changed.add(ref.name);
    });
  }

  /**
   * The members of each group of a workspace, by the group's name. A group chooses among the clusters of its own repository.
   * Other work of the event loop runs between clusters, however many groups and parts of selectors there are.
   */
  async find(
    workspace: string,
    groups: readonly ClusterGroup[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Members>> {
    const kept = this.#open(workspace, groups);
    let parts = 0;
    for (const name of kept.changed) {
      kept.changed.delete(name);
      parts += this.#compare(workspace, name, kept);
      if (parts < partsInTurn) continue;
      parts = 0;
      await setImmediate(undefined, { signal });
    }
    return kept.members;
  }

  /** Forgets a workspace without groups; otherwise the names of all clusters that it ever had would stay in memory. */
  forget(workspace: string): void {
    this.#kept.delete(workspace);
  }

  stop(): void {
    this.#unsubscribe();
    this.#kept.clear();
  }

  #open(workspace: string, groups: readonly ClusterGroup[]): Kept {
    const known = this.#kept.get(workspace);
    const selection = JSON.stringify(groups.map(selectionOf));
    const nowMs = this.#clock.monotonicMs();
    if (known?.selection === selection && nowMs - known.sinceMs <= anewMs) return known;
    const clusters = this.#view.list(resourceTypes.cluster, workspace);
    const made: Kept = {
      selection,
      sinceMs: nowMs,
      finders: findersOf(groups),
      members: new Map(groups.map(({ metadata: { name } }) => [name, noMembers()])),
      found: new Map(),
      changed: new Set(clusters.map(({ metadata }) => metadata.name)),
    };
    this.#kept.set(workspace, made);
    return made;
  }

  /** Returns with how many parts of selectors the cluster was compared. */
  #compare(workspace: string, name: string, { finders, members, found }: Kept): number {
    const before = found.get(name);
    if (before !== undefined) countIn(members, name, { ...before, by: -1 });
    found.delete(name);
    const live = this.#view.get({ type: resourceTypes.cluster, namespace: workspace, name });
    if (live === undefined) return 1;
    const { metadata, status } = withoutEditsByHand(live as Cluster, undefined);
    const finder = finders.get(metadata.labels?.[labelKeys.repository]);
    if (finder === undefined) return 1;
    const isReady = findCondition(status?.conditions, "Ready")?.status === "True";
    const groups = finder.index.matching(metadata).map((group) => group.metadata.name);
    countIn(members, name, { groups, isReady, by: 1 });
    if (groups.length > 0) found.set(name, { groups, isReady });
    return finder.parts;
  }
}

function noMembers(): Members {
  return { clusters: 0, readyClusters: 0, notReady: new SortedLines(compareNames), shownBy: undefined };
}

/** Adds the cluster to its groups, or takes it out of them. */
function countIn(
  all: ReadonlyMap<string, Members>,
  name: string,
  { groups, isReady, by }: FoundCluster & { readonly by: 1 | -1 },
): void {
  for (const group of groups) {
    const members = all.get(group);
    if (members === undefined) continue;
    members.shownBy = undefined;
    members.clusters += by;
    if (isReady) members.readyClusters += by;
    else members.notReady.set(name, by > 0 ? `${name}\n` : undefined);
  }
}

/** Changes when a group may select other clusters. The API server counts each change of `spec` in the generation. */
function selectionOf({ metadata: { name, uid, generation, labels } }: ClusterGroup): unknown {
  return [name, uid, generation, labels?.[labelKeys.repository]];
}

interface Finder {
  /** Of all its selectors together. */
  readonly parts: number;
  readonly index: SelectorIndex<ClusterGroup>;
}

/** The groups of each repository. */
function findersOf(groups: readonly ClusterGroup[]): ReadonlyMap<string | undefined, Finder> {
  const byRepository = new Map<string | undefined, ClusterGroup[]>();
  for (const group of groups) {
    const repository = group.metadata.labels?.[labelKeys.repository];
    const own = byRepository.get(repository);
    if (own === undefined) byRepository.set(repository, [group]);
    else own.push(group);
  }
  return new Map([...byRepository].map(([repository, own]) => [repository, finderOf(own)]));
}

function finderOf(groups: readonly ClusterGroup[]): Finder {
  const parts = groups.reduce((sum, { spec }) => sum + partsOf(spec?.selector), 0);
  return { parts, index: indexSelectors(groups, ({ spec }) => spec?.selector) };
}

function partsOf({ names = [], matchLabels = {}, matchExpressions = [] }: ClusterSelector = {}): number {
  return 1 + names.length + Object.keys(matchLabels).length + matchExpressions.length;
}
