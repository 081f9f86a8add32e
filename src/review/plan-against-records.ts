import { compact } from "../core/compact.ts";
import { compareNames } from "../core/compare-names.ts";
import { countOf } from "../core/count-of.ts";
import { AppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { GitEngine } from "../git/git.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { FleetSummary } from "../model/generated/fleet-summary.ts";
import type { PlanReport } from "../model/generated/plan-report.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { ServedProtocol } from "../model/generated/served-protocol.ts";
import type { HubWorkPlan, Plan, PlannedChange } from "../model/plan.ts";
import { toTime } from "../planning/conditions.ts";
import type { Observed } from "../planning/observed.ts";
import type { RecordedObjects } from "../planning/recorded-objects.ts";
import { listNames } from "../planning/plan-words.ts";
import { recordedObjects } from "../planning/recorded-objects.ts";
import { reviewPlan } from "../planning/review-plan.ts";
import type { BaseIndex, BaseIndexes } from "./base-index.ts";
import { asBaseIndex, baseIndexKey, indexBase } from "./base-index.ts";
import type { OfflineWorld } from "./offline-world.ts";
import { openWorld } from "./offline-world.ts";
import { planByIndex } from "./plan-by-index.ts";
import type { PlannedCommit } from "./plan-commit.ts";
import type { SourceSnapshot } from "./read-source.ts";
import { secretsOf } from "./read-source.ts";
import type { RecordedFleet } from "./read-status-branch.ts";
import type { ParsedFiles } from "./wire-source.ts";

export interface OfflineInputs {
  readonly git: GitEngine;
  /** The commit to plan. */
  readonly head: string;
  /** The records of the status branch; undefined when there are none and `base` replaces them. */
  readonly records: RecordedFleet | undefined;
  /** A commit to start from, instead of what the hub has. */
  readonly base: string | undefined;
  /** Of the Repository, where no records name it. */
  readonly namespace: string;
  readonly name: string;
  readonly nowMs: number;
  /** Opens earlier parse results of blobs, when many files are read. Default: every file is parsed. */
  readonly openCache?: () => Promise<ParsedFiles | undefined>;
  /** What earlier commands left of bases. Default: every file of the base and of the commit is read. */
  readonly indexes?: BaseIndexes;
  /** Takes how many objects were planned; undefined when an index did not suffice. */
  readonly onVisit?: (visitedCount: number | undefined) => void;
  /** The hub's controllers at work on what is on record. Absent: what they do is not planned. */
  readonly rehearse?: (world: RecordedWorld, changes: readonly PlannedChange[]) => Promise<HubWorkPlan>;
}

/** A hub as far as the status branch records it. */
export interface RecordedWorld {
  readonly objects: RecordedObjects;
  readonly isWorkspace: (name: string) => boolean;
  /** Undefined: it is not on record. */
  readonly serves: readonly ServedProtocol[] | undefined;
  /** Of the daemon. */
  readonly namespace: string;
  readonly nowMs: number;
}

const hourMs = 3_600_000;
/** Of status commits: older ones are named as such. */
const staleAfterMs = 15 * 60_000;

/**
 * Plans a commit without a hub: by the code of `run`, against the hub as git records it. It is exact while nothing was
 * changed manually and no write failed since the status commit.
 * @throws E_USAGE without records and base; E_GIT_OBJECT when a commit that it needs is not in the clone
 */
export async function planAgainstRecords(inputs: OfflineInputs): Promise<PlanReport> {
  const { records, base } = inputs;
  const repository = repositoryOf(inputs);
  const applied = repository.status?.appliedCommit;
  const hubCommit = base ?? records?.summary.observedCommit ?? applied;
  if (hubCommit === undefined && records === undefined) {
    throw new AppError("E_USAGE", "there are no records to plan against: name the commit to compare with by --base");
  }
  const indexKey = await indexKeyOf(inputs, repository, hubCommit);
  const { plan, fleet, observed, fleetBefore, wholeFleet, before, after } =
    (await planPart(inputs, repository, { hubCommit, indexKey })) ??
    (await planWhole(inputs, openWorld(inputs, repository, await inputs.openCache?.()), { hubCommit, indexKey }));
  const hubWork = await rehearse(inputs, { plan, observed, repository, before });
  const known = records?.summary.repository?.knownWorkspaces;
  return reviewPlan({
    repository,
    plan,
    ...(hubWork ? { hubWork } : {}),
    observed,
    fleet,
    ...(fleetBefore ? { fleetBefore } : {}),
    ...(wholeFleet ? { wholeFleet } : {}),
    ...(records?.summary.repository?.verified === true ? { needsSignature: true } : {}),
    basis: {
      source: "Records",
      ...(records ? { statusCommit: records.commit, time: toTime(records.committedAtMs) } : {}),
    },
    notes: [...notesOf(inputs), ...(known === undefined ? workspacesNote(plan) : []), ...secretsNote(before, after)],
  });
}

/** The files that the hub is taken to have. */
interface HubFiles {
  readonly hubCommit: string | undefined;
  /** Of an index of them; undefined when none can be used. */
  readonly indexKey: string | undefined;
}

/** A plan, and what it was made from. */
interface MadePlan extends PlannedCommit {
  readonly observed: Observed;
  readonly fleetBefore?: DeclaredFleet;
  /** What is counted in the whole fleet, when `observed` has a part of it. */
  readonly wholeFleet?: BaseIndex;
  /** Files of the base and of the head, when all were read. */
  readonly before?: SourceSnapshot | undefined;
  readonly after?: SourceSnapshot;
}

/** The plan by an index that an earlier command left; undefined when there is none, or when it does not suffice. */
async function planPart(
  inputs: OfflineInputs,
  repository: Repository,
  { hubCommit, indexKey }: HubFiles,
): Promise<MadePlan | undefined> {
  const { git, head, indexes } = inputs;
  if (indexes === undefined || hubCommit === undefined || indexKey === undefined) return undefined;
  const index = asBaseIndex(await indexes.read(indexKey));
  if (index === undefined) return undefined;
  const part = await planByIndex({ ...openWorld(inputs, repository), git, head, base: hubCommit, index });
  inputs.onVisit?.(part?.visitedCount);
  return part && { ...part, fleetBefore: part.before, wholeFleet: index, before: undefined };
}

async function planWhole(
  inputs: OfflineInputs,
  world: OfflineWorld,
  { hubCommit, indexKey }: HubFiles,
): Promise<MadePlan> {
  const { repository, reader, repositoryLabel } = world;
  const { head, indexes } = inputs;
  const before = hubCommit === undefined ? undefined : await reader.read(repository, hubCommit);
  const checked = before && (await reader.check(repository, before));
  const observed = world.observe(checked?.fleet);
  const planner = world.plannerOf(observed);
  const after = await planner.read(repository, head, before);
  const { plan, fleet } = await planner.plan(repository, after, [], before);
  if (indexes && before && indexKey !== undefined && before.parsed.size >= indexes.leastFiles) {
    const planned = await planner.plan(repository, before);
    const index = indexBase({ repository, snapshot: before, planned, observed, repositoryLabel });
    if (index) await indexes.write(indexKey, index);
  }
  return { plan, fleet, observed, before, after, ...(checked ? { fleetBefore: checked.fleet } : {}) };
}

/** Undefined where records state what the hub has: no index has those. */
async function indexKeyOf(
  { git, indexes, records }: OfflineInputs,
  repository: Repository,
  hubCommit: string | undefined,
): Promise<string | undefined> {
  if (indexes === undefined || hubCommit === undefined || records !== undefined) return undefined;
  const { treeId } = await git.readCommit(hubCommit);
  return baseIndexKey(treeId, repository);
}

async function rehearse(
  { rehearse: work, records, nowMs }: OfflineInputs,
  {
    plan,
    observed,
    repository,
    before,
  }: {
    readonly plan: Plan;
    readonly observed: Observed;
    readonly repository: Repository;
    readonly before: SourceSnapshot | undefined;
  },
): Promise<HubWorkPlan | undefined> {
  if (work === undefined) return undefined;
  const serves = records?.summary.repository?.serves;
  const knownSecrets = new Set([...secretsOf(before).keys()]);
  const known = recordedObjects(observed, { records: records?.clusters ?? [], knownSecrets });
  const { namespace = "" } = repository.metadata;
  const world = {
    objects: known,
    isWorkspace: (name: string) => observed.isWorkspace(name),
    serves,
    namespace,
    nowMs,
  };
  const { work: done, notes } = await work(world, plan.changes);
  const touched = new Set(plan.changes.map(({ ref }) => `${ref.namespace ?? ""}/${ref.name}`));
  return { work: done, notes: [...known.notesOf(touched), ...notes] };
}

/** Without a list of the hub's workspaces, it is unknown here whether a namespace is one. */
function workspacesNote({ changes }: Plan): string[] {
  const names = changes.flatMap(({ kind, ref }) => (kind === "create" ? (ref.namespace ?? []) : []));
  if (names.length === 0) return [];
  return [
    `The plan does not know which namespaces are workspaces, and the hub refuses objects in others. It creates objects in: ${listNames([...new Set(names)].sort(compareNames))}.`,
  ];
}

/** Encrypted Secrets are not opened without keys: only their changed files are named. */
function secretsNote(before: SourceSnapshot | undefined, after: SourceSnapshot | undefined): string[] {
  const was = secretsOf(before);
  const is = secretsOf(after);
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key)).sort();
  if (changed.length === 0) return [];
  return [`Encrypted Secrets are not opened here; the files of these change: ${listNames(changed)}.`];
}

function repositoryOf({ records, base, namespace, name, nowMs }: OfflineInputs): Repository {
  const summary = records?.summary;
  const { repository: recorded = {} } = summary ?? {};
  const { url = "", branch, paths, workspaces, defaultWorkspace, deletionBudget, agentRollout, policies } = recorded;
  const appliedCommit = base ?? summary?.appliedCommit;
  const deletions = records && deletionsOf(records.summary, { committedAtMs: records.committedAtMs, nowMs });
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { namespace: recorded.namespace ?? namespace, name: recorded.name ?? name },
    spec: {
      url,
      ...(branch === undefined ? {} : { ref: { branch } }),
      ...(paths ? { paths } : {}),
      ...(workspaces ? { workspaces } : {}),
      ...(defaultWorkspace === undefined ? {} : { defaultWorkspace }),
      ...(deletionBudget ? { deletionBudget } : {}),
      ...(agentRollout ? { agentRollout } : {}),
      ...(policies ? { policies } : {}),
      ...(recorded.suspend === true ? { suspend: true } : {}),
    },
    status: {
      ...(appliedCommit === undefined ? {} : { appliedCommit }),
      ...(base === undefined
        ? compact({ settledCommit: summary?.settledCommit, settledFrom: summary?.settledFrom })
        : {}),
      ...compact({ scannedCommit: summary?.scannedCommit, approvals: summary?.approvals }),
      ...(deletions ? { deletions } : {}),
    },
  };
}

/** Removals of the last 24 hours: those that are recorded one by one by their time, else all by the time of the record. */
function deletionsOf(
  { removals }: FleetSummary,
  { committedAtMs, nowMs }: { readonly committedAtMs: number; readonly nowMs: number },
): NonNullable<Repository["status"]>["deletions"] {
  const count = removals?.count ?? 0;
  if (count === 0) return undefined;
  const times = (removals?.last ?? []).map(({ time }) => Date.parse(time));
  const hours =
    times.length >= count
      ? times.map((ms) => ({ hour: toTime(Math.floor(ms / hourMs) * hourMs), count: 1 }))
      : [{ hour: toTime(Math.min(committedAtMs, nowMs)), count }];
  return { count, hours };
}

function notesOf({ records, base, nowMs }: OfflineInputs): string[] {
  const notes: string[] = [];
  if (records === undefined) {
    notes.push(
      "There is no status branch: the plan assumes that the hub has what the base declares, and knows no labels of tokens and agents.",
      "It does not know which removals of earlier commits wait on the hub, and how many happened in the last 24 hours: the budget here counts those of these commits only.",
    );
    return notes;
  }
  const { summary, committedAtMs } = records;
  const ageMs = nowMs - committedAtMs;
  const isStale = ageMs > staleAfterMs;
  const seen = isStale ? "; what changed on the hub since is not seen here" : "";
  notes.push(`The status branch was last written ${describeAge(ageMs)} before this plan${seen}.`);
  if (base === undefined && summary.observedCommit !== undefined && summary.observedCommit !== summary.appliedCommit) {
    notes.push(
      `The hub has not carried out all of commit ${shortCommit(summary.observedCommit)} yet: see the status branch for what waits.`,
    );
  }
  if (summary.repository?.verified === true)
    notes.push(
      "Signatures of commits are verified by the daemon, not here: an approval in a commit that no listed key signed does not count there.",
    );
  return notes;
}

function describeAge(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return countOf(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return hours < 48 ? countOf(hours, "hour") : countOf(Math.round(hours / 24), "day");
}
