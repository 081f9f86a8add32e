import type { Commit, GitEngine, PathChange } from "../git/git.ts";
import type { CheckedFleet } from "../manifests/check-fleet.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { Plan } from "../model/plan.ts";
import { approvedByTrailers } from "../planning/budget.ts";
import type { HoldInputs } from "../planning/holds.ts";
import type { Observed } from "../planning/observed.ts";
import type { FleetInputs } from "../planning/plan-fleet.ts";
import { planFleet } from "../planning/plan-fleet.ts";
import type { Problem } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import { appliedDocuments } from "./check-policies.ts";
import type { DecryptFile } from "./decrypt-secrets.ts";
import { decryptSecrets } from "./decrypt-secrets.ts";
import { enforcePolicies } from "./enforce-policies.ts";
import type { SourceOptions, SourceSnapshot } from "./read-source.ts";
import { filesInForce, hasErrors, readChangedFiles } from "./read-source.ts";
import { approvedByAnnotation, countRecentRemovals } from "../planning/repository-state.ts";

export interface PlanCommitInputs {
  readonly git: GitEngine;
  /** How files of the applied commit are chosen and parsed. */
  readonly source: Omit<SourceOptions, "git">;
  readonly repository: Repository;
  readonly snapshot: SourceSnapshot;
  /**
   * How encrypted Secrets are read. Absent (no keys at hand, as in CI): those on the hub are taken to be as their files say.
   */
  readonly openKeys?: () => Promise<DecryptFile>;
  /** What is wrong with the commit itself. */
  readonly problems?: readonly Problem[];
  /** Brings the files in force together: default workspace, duplicates, names. */
  readonly checkFleet: (files: readonly ParsedFile[], repository: Repository) => CheckedFleet;
  readonly observed: Observed;
  readonly rememberedLabels: FleetInputs["rememberedLabels"];
  readonly nowMs: number;
}

/** The stretch: what came after the applied commit, up to the head. */
export interface Stretch {
  /** Where it begins; undefined when nothing was applied, or what was is not in this history. */
  readonly base?: string;
  readonly commits: readonly Commit[];
  readonly changes: readonly PathChange[];
  readonly isForeign: boolean;
}

export interface PlannedCommit {
  readonly plan: Plan;
  /** What the files in force say; what a policy refuses is left out. */
  readonly fleet: DeclaredFleet;
}

/** Plans the snapshot's commit against what is observed. `rollcall plan` and the daemon both come through here. */
export async function planCommit(inputs: PlanCommitInputs): Promise<PlannedCommit> {
  const { repository, snapshot, observed, nowMs } = inputs;
  const base = repository.status?.appliedCommit;
  const head = snapshot.commit.id;
  const { checked, stretch } = await checkCommit(inputs);
  const approved = [
    approvedByTrailers(stretch.commits.map(({ message }) => message)),
    approvedByAnnotation(repository, head),
  ];
  const approvedDeletions = approved.reduce(
    (most, count) => (count === undefined ? most : Math.max(count, most ?? 0)),
    undefined,
  );
  const { namespace = "", name } = repository.metadata;
  const plan = planFleet({
    repositoryLabel: `${namespace}.${name}`,
    commit: head,
    ...(base === undefined ? {} : { base }),
    fleet: checked.fleet,
    problems: [...snapshot.pathProblems, ...(inputs.problems ?? []), ...checked.problems],
    holds: holdsOf(snapshot, stretch, { repository, checked, isApproved: approvedDeletions !== undefined }),
    observed,
    ...(repository.spec.deletionBudget ? { budget: repository.spec.deletionBudget } : {}),
    recentRemovals: countRecentRemovals(repository.status, nowMs),
    ...(approvedDeletions === undefined ? {} : { approvedDeletions }),
    rememberedLabels: inputs.rememberedLabels,
  });
  return { plan, fleet: checked.fleet };
}

/** What the files of the snapshot come to, before anything is compared with the hub. */
export async function checkCommit(
  inputs: Omit<PlanCommitInputs, "observed" | "rememberedLabels" | "nowMs">,
): Promise<{ readonly checked: CheckedFleet; readonly stretch: Stretch }> {
  const { git, repository, snapshot } = inputs;
  const stretch = await readStretch(git, repository.status?.appliedCommit, snapshot.commit.id);
  return { checked: await withClearSecrets(await checkWithPolicies(inputs, stretch), inputs), stretch };
}

type CheckInputs = Parameters<typeof checkCommit>[0];

async function checkWithPolicies(inputs: CheckInputs, stretch: Stretch): Promise<CheckedFleet> {
  const { git, source, repository, snapshot } = inputs;
  const files = filesInForce(snapshot);
  const checkFleet = (some: readonly ParsedFile[]): CheckedFleet => inputs.checkFleet(some, repository);
  const checked = checkFleet(files);
  if (checked.fleet.policies.length === 0) return checked;
  const changedPaths = new Set(stretch.changes.map(({ path }) => path));
  const before =
    stretch.base === undefined ? [] : await readChangedFiles(stretch.base, changedPaths, { git, ...source });
  const { policies: mode, defaultWorkspace } = repository.spec;
  return enforcePolicies(checked, {
    files,
    applied: appliedDocuments(before, { isChanged: (path) => changedPaths.has(path), defaultWorkspace }),
    defaultWorkspace,
    checkFleet,
    ...(mode === undefined ? {} : { mode }),
  });
}

async function withClearSecrets(checked: CheckedFleet, inputs: CheckInputs): Promise<CheckedFleet> {
  const { fleet, problems, brokenObjects } = checked;
  if (fleet.secrets.length === 0) return checked;
  const { openKeys, snapshot } = inputs;
  if (openKeys === undefined) {
    const unknown = fleet.secrets.map(({ object: { metadata } }) => `Secret/${metadata.namespace}/${metadata.name}`);
    return { ...checked, fleet: { ...fleet, secrets: [] }, brokenObjects: new Set([...brokenObjects, ...unknown]) };
  }
  const files = [...snapshot.parsed.values(), ...snapshot.lastGood.values()];
  const clear = await decryptSecrets(fleet.secrets, { files, openKeys });
  return {
    fleet: { ...fleet, secrets: clear.secrets },
    problems: [...problems, ...clear.problems],
    brokenObjects: new Set([...brokenObjects, ...clear.brokenObjects]),
  };
}

/** A base that is unknown here (first run, or history replaced) makes every file new and the head the whole stretch. */
async function readStretch(git: GitEngine, base: string | undefined, head: string): Promise<Stretch> {
  if (base !== undefined && base === head) return { base, commits: [], changes: [], isForeign: false };
  const isKnown = base !== undefined && (await git.isAncestor(base, head));
  if (!isKnown) {
    const changes = await git.changedPaths(undefined, head);
    return { commits: [await git.readCommit(head)], changes, isForeign: base !== undefined };
  }
  const [commits, changes] = await Promise.all([
    git.listCommits({ from: base, to: head }),
    git.changedPaths(base, head),
  ]);
  return { base, commits, changes, isForeign: false };
}

function holdsOf(
  snapshot: SourceSnapshot,
  stretch: Stretch,
  {
    repository,
    checked,
    isApproved,
  }: { readonly repository: Repository; readonly checked: CheckedFleet; readonly isApproved: boolean },
): HoldInputs {
  const parsed = [...snapshot.parsed.values()];
  const newFiles = new Set(stretch.changes.filter(({ before }) => before === undefined).map(({ path }) => path));
  return {
    hasDocuments: parsed.some(({ documents }) => documents.length > 0),
    brokenFiles: new Set([
      ...parsed.filter((file) => hasErrors(file) && file.isUnidentified).map(({ path }) => path),
      // A file that became a link or got an unsafe name declares what it declared before.
      ...snapshot.pathProblems.filter(({ severity }) => severity === "error").map(({ file }) => file),
    ]),
    brokenObjects: checked.brokenObjects,
    hasUnidentifiedNewFile: parsed.some(({ path, isUnidentified }) => isUnidentified && newFiles.has(path)),
    files: new Set(snapshot.files.keys()),
    changedFiles: new Set(stretch.changes.map(({ path }) => path)),
    wasAppliedBefore: repository.status?.appliedCommit !== undefined,
    isForeignHistory:
      stretch.isForeign && repository.status?.url !== undefined && repository.status.url !== repository.spec.url,
    isApproved,
  };
}
