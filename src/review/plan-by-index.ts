import type { GitEngine, PathChange, TreeFile } from "../git/git.ts";
import { selectionCostOf } from "../manifests/selection-cost.ts";
import { ignoreFileName } from "../manifests/select-files.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import { emptyFleet } from "../model/declared-fleet.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository } from "../model/generated/repository.ts";
import { namespacedName } from "../model/namespaced-name.ts";
import type { Observed } from "../planning/observed.ts";
import type { BaseIndex } from "./base-index.ts";
import type { PlanBasis } from "./plan-basis.ts";
import type { PlannedCommit } from "./plan-commit.ts";
import type { SourceOptions, SourceSnapshot } from "./read-source.ts";
import { readReplaced } from "./read-replaced.ts";
import { readFile } from "./read-file.ts";
import type { RepositoryPlanner } from "./review.ts";

/** More changed files than this are planned with all others. */
const mostChanges = 200;

/** A base with an index, and the commit to plan on top of it. */
export interface IndexPlanInputs {
  readonly git: GitEngine;
  readonly source: SourceOptions;
  readonly repository: Repository;
  readonly base: string;
  readonly head: string;
  readonly index: BaseIndex;
  /** Reads and checks files; it observes nothing. */
  readonly reader: RepositoryPlanner;
  /** The hub with what these files of the base declare. */
  readonly observe: (fleet: DeclaredFleet) => Observed;
  readonly plannerOf: (observed: Observed) => RepositoryPlanner;
}

/** The plan of a part of a fleet, with the part. */
export interface PartPlan extends PlannedCommit {
  readonly before: DeclaredFleet;
  readonly observed: Observed;
  /** How many objects the plan read. */
  readonly visitedCount: number;
}

/**
 * The plan of a commit on top of a base with an index: only files that differ are read, and only their clusters are planned.
 * Undefined for every change whose plan may depend on what the index does not have: then the whole plan is made.
 */
export async function planByIndex(inputs: IndexPlanInputs): Promise<PartPlan | undefined> {
  const { git, source, repository, base, head, index, reader } = inputs;
  const changes = await git.changedPaths(base, head);
  if (changes.length > mostChanges || !changes.every(isReplaced)) return undefined;
  const files = await selectBefore(changes, base, source);
  const parsed = await Promise.all(files.map((file) => readFile(file, source)));
  const snapshotBefore: SourceSnapshot = {
    commit: await git.readCommit(base),
    files: new Map(files.map((file) => [file.path, file])),
    ...(source.selection ? { selection: source.selection() } : {}),
    parsed: new Map(parsed.map((file) => [file.path, file])),
    lastGood: new Map(),
    pathProblems: [],
    parsedCount: parsed.length,
    size: index.size,
  };
  const { fleet: part, problems, brokenObjects } = await reader.check(repository, snapshotBefore);
  if (problems.length + brokenObjects.size > 0 || !part.clusters.every(({ object }) => isIndependent(object, index)))
    return undefined;
  const before: DeclaredFleet = { ...emptyFleet, ...index.fleet, clusters: part.clusters };
  const observed = inputs.observe(before);
  const planner = inputs.plannerOf(observed);
  const snapshot = head === base ? snapshotBefore : await readReplaced(head, snapshotBefore, source);
  if (snapshot === undefined) return undefined;
  const basis = basisOfIndex(snapshotBefore, before, inputs);
  const since = await planner.planSince(repository, snapshot, { basis, touched: [], ownedClusters: index.ownedCount });
  if (since === undefined) return undefined;
  return { plan: since.plan, fleet: before, before, observed, visitedCount: since.visitedCount };
}

function isReplaced({ before, after }: PathChange): boolean {
  return before !== undefined && after !== undefined;
}

/** The files among the changed ones that the Repository reads. */
async function selectBefore(
  changes: readonly PathChange[],
  base: string,
  { git, selectFiles, maximumBytes }: SourceOptions,
): Promise<readonly TreeFile[]> {
  const ignoreFile = await git.listFiles(base, [ignoreFileName]);
  const files = changes.flatMap(({ before }) => before ?? []);
  const others = files.filter(({ path }) => path !== ignoreFileName);
  const readText = async ({ blobId }: TreeFile): Promise<string> =>
    new TextDecoder().decode(await git.readBlob(blobId, { maximumBytes }));
  return (await selectFiles([...ignoreFile, ...others], readText)).files.filter(({ path }) => path !== ignoreFileName);
}

/** Whether nothing but its file and the rules decides about a cluster. */
function isIndependent(cluster: Cluster, { entangled }: BaseIndex): boolean {
  const { protocol = "rollcall" } = cluster.spec ?? {};
  return protocol === "rollcall" && !entangled.includes(namespacedName(cluster));
}

function basisOfIndex(
  { commit }: SourceSnapshot,
  { clusters, labelRules, defaultRules, groups }: DeclaredFleet,
  { repository: { spec }, index }: IndexPlanInputs,
): PlanBasis {
  const costOf = selectionCostOf(
    [...labelRules, ...defaultRules, ...groups].map(({ object }) => ({ workspace: object.metadata.namespace, object })),
  );
  const { selectionRoom: room } = index;
  return {
    commit: commit.id,
    plannedAtMs: 0,
    spec,
    problems: index.problems,
    rules: { labelRules, defaultRules },
    declared: {
      clusters: new Map(clusters.map((declared) => [namespacedName(declared.object), declared])),
      tokens: new Map(),
      groups: new Map(),
      successorsOf: () => [],
    },
    ...(room === undefined
      ? {}
      : { selection: { room, costOf: (cluster) => costOf(cluster.metadata.namespace, cluster) } }),
    written: [],
  };
}
