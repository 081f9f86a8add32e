import { repositoryLabelOf } from "../model/repository-label.ts";
import { isAppError } from "../core/errors.ts";
import type { Commit, GitEngine, PathChange } from "../git/git.ts";
import type { CheckedFleet } from "../manifests/check-fleet.ts";
import type { SelectionCost } from "../manifests/selection-cost.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { Repository, RepositoryStatus } from "../model/generated/repository.ts";
import type { Plan } from "../model/plan.ts";
import type { HoldInputs } from "../planning/holds.ts";
import type { Observed } from "../planning/observed.ts";
import type { FleetInputs } from "../planning/plan-fleet.ts";
import type { RemovalSource } from "../planning/plan-fleet.ts";
import { approvableRemovals, markOnBase, planFleet, removalSources, wantedRemovals } from "../planning/plan-fleet.ts";
import type { Problem } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import { appliedDocuments } from "./check-policies.ts";
import { coverAtHead, findOutside } from "./bound-approvals.ts";
import type { DecryptFile } from "./decrypt-secrets.ts";
import { decryptSecrets } from "./decrypt-secrets.ts";
import { enforcePolicies } from "./enforce-policies.ts";
import type { SourceOptions, SourceSnapshot } from "./read-source.ts";
import { hasErrors } from "./read-file.ts";
import { filesInForce, readFilesBefore, readSource } from "./read-source.ts";
import { countRecentRemovals, isElsewhere, rangeBaseOf, reservedRemovals } from "../planning/repository-state.ts";
import type { CoverageContext } from "./read-approvals.ts";
import { withLapsed, withOverlooked, withUnsigned } from "./overlooked-approvals.ts";
import { boundCoverage, findCoverage, readApprovals, unsignedApprovals } from "./read-approvals.ts";
import type { CoveringApproval } from "../planning/approvals.ts";

export interface PlanCommitInputs {
  readonly git: GitEngine;
  /** How files of the applied commit are chosen and parsed. */
  readonly source: Omit<SourceOptions, "git">;
  readonly repository: Repository;
  readonly snapshot: SourceSnapshot;
  /**
   * How encrypted Secrets are read. Absent (no keys available, as in CI): those on the hub are taken to match their files.
   */
  readonly openKeys?: () => Promise<DecryptFile>;
  /** See `CommitVerifier`: other commits approve nothing. Absent: no signatures are asked for, or known here. */
  readonly isSigned?: (commit: string, tip: string) => Promise<boolean>;
  /** What is wrong with the commit itself. */
  readonly problems?: readonly Problem[];
  /** Brings the files in force together: default workspace, duplicates, names. */
  readonly checkFleet: (files: readonly ParsedFile[], repository: Repository) => CheckedFleet;
  readonly observed: Observed;
  readonly rememberedLabels: FleetInputs["rememberedLabels"];
  readonly nowMs: number;
  /** The commit that the planned ones come on top of: removals that it asks for already are marked. Default: none are. */
  readonly before?: SourceSnapshot;
  /** The commit that the planned ones are merged into: its history counts as theirs. Default: they are not merged. */
  readonly mergedInto?: string;
  /** Where the repository has the range of a merge: what holds removals without it. Default: as its status records. */
  readonly baseHolds?: BaseHolds;
  /** The same: what policies compare with; asked for where there are policies. Default: what the status records as applied. */
  readonly inForce?: () => Promise<InForce>;
}

/** What is applied before a merge. */
export interface InForce {
  /** The applied commit; undefined when there is none in the history of the branch that is merged into. */
  readonly commit: string | undefined;
  /** What that branch changed since. */
  readonly changes: readonly PathChange[];
}

/** What was settled before the planned commit, whether it has that in its history, and what is not settled yet. */
export interface BaseHolds extends Pick<HoldInputs, "wasAppliedBefore" | "isForeignHistory"> {
  readonly range: Pick<CommitRange, "changes" | "changedPaths">;
}

/** The commits after the last settled one, up to the head, and what they changed. */
export interface CommitRange {
  /** Where it begins; undefined when nothing was settled, or what was is not in this history. */
  readonly base?: string;
  /** Since the base. */
  readonly changes: readonly PathChange[];
  /** Since the applied commit, whose files are all without errors; undefined when that is not in this history. */
  readonly sinceApplied: { readonly base?: string; readonly changes: readonly PathChange[] };
  readonly isForeign: boolean;
  /**
   * Paths whose content differs from that of what was settled last, also when the histories differ. None where that is not
   * known.
   */
  readonly changedPaths: readonly string[];
}

export interface PlannedCommit {
  readonly plan: Plan;
  /** What the files in force declare; what a policy refuses is left out. */
  readonly fleet: DeclaredFleet;
  /** How many of the plan's problems are those of files and commit; the others were found in planning. Absent: not counted. */
  readonly fileProblemCount?: number;
  /** See `CheckedFleet`. */
  readonly selection?: SelectionCost;
}

/** Plans the snapshot's commit against what is observed. `rollcall plan` and the daemon both come through here. */
export async function planCommit(inputs: PlanCommitInputs): Promise<PlannedCommit> {
  const { git, repository, snapshot, observed, nowMs, baseHolds } = inputs;
  const { status } = repository;
  const head = snapshot.commit.id;
  const { checked, range } = await checkCommit(inputs);
  const reservations = reservedRemovals(status, nowMs);
  const reserved = new Set([...reservations.reserved.values()].flatMap((key) => key ?? []));
  const isInHistory = historyOf(inputs);
  const isSigned = async (commit: string): Promise<boolean> => (await inputs.isSigned?.(commit, head)) ?? true;
  const approvals = await readApprovals(git, { repository, head, base: range.base, reserved, isInHistory, isSigned });
  const withoutApprovals: FleetInputs = {
    repositoryLabel: repositoryLabelOf(repository),
    commit: head,
    ...(status?.appliedCommit === undefined ? {} : { base: status.appliedCommit }),
    fleet: checked.fleet,
    problems: [...snapshot.pathProblems, ...(inputs.problems ?? []), ...checked.problems],
    holds: holdsOf(snapshot, range, { repository, checked, isApproved: approvals.atHead.length > 0, baseHolds }),
    observed,
    ...(repository.spec.deletionBudget ? { budget: repository.spec.deletionBudget } : {}),
    recentRemovals: countRecentRemovals(status, nowMs),
    ...reservations,
    knownApprovals: approvals.known,
    rememberedLabels: inputs.rememberedLabels,
  };
  const hasApprovals = approvals.atHead.length + approvals.earlier.length > 0;
  const sources = hasApprovals ? removalSources(withoutApprovals) : new Map<string, RemovalSource>();
  const outside = await findOutside(sources, { git, head, status, isInHistory });
  const wanted = (): ReadonlySet<string> => approvableRemovals(withoutApprovals);
  const atHead = coverAtHead(approvals.atHead, {
    wanted: outside.size === 0 ? new Set() : wanted(),
    outside,
    isNew: approvals.isNew,
    reserved: reservations.reserved,
  });
  const fleetInputs: FleetInputs = { ...withoutApprovals, approvals: atHead, newApprovals: approvals.isNew };
  const inputsAt = async (commit: SourceSnapshot): Promise<FleetInputs> => {
    const then = await checkCommit({ ...inputs, snapshot: commit });
    const holds = holdsOf(commit, then.range, { repository, checked: then.checked, isApproved: true, baseHolds });
    return { ...fleetInputs, fleet: then.checked.fleet, holds };
  };
  const { before } = inputs;
  let onBase: ReadonlySet<string> | undefined;
  /** What the base asks to remove, too, is read only where something is removed. */
  const planBy = async (covering: readonly CoveringApproval[]): Promise<Plan> => {
    const made = planFleet({ ...fleetInputs, approvals: [...covering, ...atHead] });
    const isRemoving = made.removals.length + made.withheld.length + made.heldDeletes.length > 0;
    if (!isRemoving || before === undefined || before.commit.id === head) return made;
    onBase ??= wantedRemovals(await inputsAt(before));
    return markOnBase(made, onBase);
  };
  const plan = await planBy([]);
  const planned = async (made: Plan): Promise<PlannedCommit> => {
    const unsigned = made.budget.isExceeded ? await unsignedApprovals(approvals.known, { isInHistory, isSigned }) : [];
    const reported = withLapsed(withUnsigned(withOverlooked(made, approvals.overlooked), unsigned), {
      lapsed: approvals.lapsedAtHead.filter((approval) => !unsigned.includes(approval)),
    });
    const { fleet, selection } = checked;
    const fileProblemCount = withoutApprovals.problems.length;
    return { plan: reported, fleet, fileProblemCount, ...(selection ? { selection } : {}) };
  };
  const isDone = !plan.budget.isExceeded || approvals.earlier.length === 0;
  if (isDone) return planned(plan);
  const context: CoverageContext = {
    git,
    head: await mergeOf(inputs),
    isInHistory,
    wanted: new Set([...wanted()].filter((id) => !outside.has(id))),
    wantedAt: async (commit) => {
      const then = await readSource(commit, snapshot, undefined, { git, ...inputs.source });
      return approvableRemovals(await inputsAt(then));
    },
  };
  const bounds = await boundCoverage(approvals.earlier, context);
  const most = await planBy(bounds);
  // If even the upper bound of approvals is too low, the commits since need no check.
  if (most.budget.isExceeded) return planned(most);
  return planned(await planBy(await findCoverage(bounds, context)));
}

/** What the files of the snapshot come to, before anything is compared with the hub. */
export async function checkCommit(
  inputs: Omit<PlanCommitInputs, "observed" | "rememberedLabels" | "nowMs" | "before">,
): Promise<{ readonly checked: CheckedFleet; readonly range: CommitRange }> {
  const { git, repository, snapshot } = inputs;
  const range = await readRange(git, repository.status, snapshot.commit.id);
  return { checked: await withClearSecrets(await checkWithPolicies(inputs, range), inputs), range };
}

/** Whether a commit is the planned one, or one before it. */
export function historyOf({ git, snapshot, mergedInto }: PlanCommitInputs): (commit: string) => Promise<boolean> {
  const ends = [snapshot.commit.id, ...(mergedInto === undefined ? [] : [mergedInto])];
  return async (commit) => {
    if (ends.includes(commit)) return true;
    for (const end of ends) if (await git.isAncestor(commit, end)) return true;
    return false;
  };
}

/**
 * The planned commit. Where it is on a branch that is behind the one it is merged into: the merge, whose first parents are
 * the commits of that one. What the branch lacks is no request to remove it.
 */
async function mergeOf({ git, snapshot: { commit }, mergedInto }: PlanCommitInputs): Promise<Commit> {
  if (mergedInto === undefined || (await git.isAncestor(mergedInto, commit.id))) return commit;
  return { ...commit, parents: [mergedInto, commit.id] };
}

type CheckInputs = Parameters<typeof checkCommit>[0];

async function checkWithPolicies(inputs: CheckInputs, range: CommitRange): Promise<CheckedFleet> {
  const { git, source, repository, snapshot } = inputs;
  const files = filesInForce(snapshot);
  const checkFleet = (some: readonly ParsedFile[]): CheckedFleet => inputs.checkFleet(some, repository);
  const checked = checkFleet(files);
  if (checked.fleet.policies.length === 0) return checked;
  const { base, changes } = await changesSinceApplied(inputs, range);
  const changedPaths = new Set(changes.map(({ path }) => path));
  const before = base === undefined ? undefined : await readFilesBefore(base, changedPaths, { git, ...source });
  // What was ignored then was never applied, although it was there.
  const isChanged = (path: string): boolean => changedPaths.has(path) || before?.unread.has(path) === true;
  const { policies: mode, defaultWorkspace } = repository.spec;
  return enforcePolicies(checked, {
    files,
    applied: appliedDocuments(before?.changed ?? [], { isChanged, defaultWorkspace }),
    defaultWorkspace,
    checkFleet,
    ...(mode === undefined ? {} : { mode }),
  });
}

/** The files of a merge are those of two commits: what either changed since the applied one may differ in it. */
async function changesSinceApplied(
  { git, snapshot, inForce }: CheckInputs,
  { sinceApplied }: CommitRange,
): Promise<CommitRange["sinceApplied"]> {
  if (inForce === undefined) return sinceApplied;
  const { commit, changes } = await inForce();
  const base = commit === undefined ? {} : { base: commit };
  return { ...base, changes: [...(await git.changedPaths(commit, snapshot.commit.id)), ...changes] };
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

/** A base that is unknown here (first run, or history replaced) makes every file new. */
export async function readRange(
  git: GitEngine,
  status: RepositoryStatus | undefined,
  head: string,
): Promise<CommitRange> {
  const base = rangeBaseOf(status);
  const applied = status?.appliedCommit;
  const settled = await changesSince(git, base, head);
  const sinceApplied = applied === base ? settled : await changesSince(git, applied, head);
  const isForeign = base !== undefined && settled.base === undefined;
  const compared = settled.base === undefined ? await changesBetween(git, base, head) : settled.changes;
  return { ...settled, sinceApplied, isForeign, changedPaths: compared.map(({ path }) => path) };
}

/** None when the first commit is not known here. */
async function changesBetween(git: GitEngine, from: string | undefined, to: string): Promise<readonly PathChange[]> {
  if (from === undefined) return [];
  try {
    return await git.changedPaths(from, to);
  } catch (error) {
    if (isAppError(error, "E_GIT_OBJECT")) return [];
    throw error;
  }
}

async function changesSince(
  git: GitEngine,
  base: string | undefined,
  head: string,
): Promise<{ readonly base?: string; readonly changes: readonly PathChange[] }> {
  if (base !== undefined && base === head) return { base, changes: [] };
  if (base === undefined || !(await git.isAncestor(base, head))) {
    return { changes: await git.changedPaths(undefined, head) };
  }
  return { base, changes: await git.changedPaths(base, head) };
}

interface HoldContext {
  readonly repository: Repository;
  readonly checked: CheckedFleet;
  readonly isApproved: boolean;
  readonly baseHolds: BaseHolds | undefined;
}

function holdsOf(
  snapshot: SourceSnapshot,
  range: CommitRange,
  { repository, checked, isApproved, baseHolds }: HoldContext,
): HoldInputs {
  const parsed = [...snapshot.parsed.values()];
  const changes = [...range.changes, ...(baseHolds?.range.changes ?? [])];
  const newFiles = new Set(changes.filter(({ before }) => before === undefined).map(({ path }) => path));
  const { status, spec } = repository;
  return {
    hasDocuments: parsed.some(({ documents }) => documents.length > 0),
    brokenFiles: new Set([
      ...parsed.filter((file) => hasErrors(file) && file.isUnidentified).map(({ path }) => path),
      // A file that became a link or got an unsafe name declares what it declared before.
      ...(snapshot.refusedPaths ?? []),
    ]),
    brokenObjects: checked.brokenObjects,
    // A file that never was without errors is as good as new, however old it is.
    hasUnidentifiedNewFile: parsed.some(
      ({ path, isUnidentified }) => isUnidentified && (newFiles.has(path) || !snapshot.lastGood.has(path)),
    ),
    files: new Set(snapshot.files.keys()),
    changedFiles: new Set([...range.changedPaths, ...(baseHolds?.range.changedPaths ?? [])]),
    wasAppliedBefore: baseHolds?.wasAppliedBefore ?? rangeBaseOf(status) !== undefined,
    isForeignHistory: baseHolds?.isForeignHistory ?? (range.isForeign && isElsewhere(status, spec)),
    isApproved,
  };
}
