import { belongsTo, repositoryLabelOf } from "../model/repository-label.ts";
import type { AppError } from "../core/errors.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { SourcePlace } from "../model/generated/source-place.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Plan, PlannedChange } from "../model/plan.ts";
import type { FieldFights } from "../planning/field-fights.ts";
import type { ProposedBranch } from "./branch-keeper.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { PlanBasis } from "../review/plan-basis.ts";
import type { RunPhase } from "./reconciler-options.ts";

/** Why to run: make the hub follow the branch, or only report what the members have become. */
export type RunReason = "read" | "report";

/** The last write of the status branch. */
export interface LastWrite {
  /** Monotonic ms. */
  readonly atMs: number | undefined;
  readonly source: string | undefined;
  readonly branch: string | undefined;
  /** When the branch was read last to see where it is. Monotonic ms. */
  readonly readAtMs?: number;
  readonly error: unknown;
  /** Why older commits of the branch stay although it is time to squash them. */
  readonly historyKept: string | undefined;
}

/** What is kept from one run to the next. */
export interface RunState {
  /** The last snapshot: an invalid file keeps its last good version. */
  readonly snapshot: SourceSnapshot | undefined;
  /** Where the snapshot was read from. The Repository may name another place by now. */
  readonly readFrom: SourcePlace | undefined;
  /** What a plan made after the last run contains; undefined when that is not known. */
  readonly settledPlan: Plan | undefined;
  /** What the next plan may begin with; undefined when it must be a whole one. */
  readonly basis: PlanBasis | undefined;
  readonly unverified: AppError | undefined;
  /** Why the last run that follows the branch could not write changes of the hub, or could not propose files. */
  readonly followError: unknown;
  readonly proposeError: unknown;
  readonly fights: FieldFights;
  /** Changes that wait for the end of such a fight. */
  readonly postponed: readonly PlannedChange[];
  readonly lastWrite: LastWrite;
}

/** What a run knows, phase by phase; each field names the phase that sets it. */
export interface RunScope {
  readonly reason: RunReason;
  readonly signal: AbortSignal;
  /** Monotonic. */
  readonly startedAtMs: number;
  /** What each phase took, in milliseconds. */
  readonly phasesMs: Partial<Record<RunPhase, number>>;
  /** countRemovals: with the removals of the plan counted. */
  repository: Repository;
  /** writeRepositoryStatus: the Repository as it was written last. */
  written: Repository;
  /** readHead */
  snapshot: SourceSnapshot | undefined;
  readFrom: SourcePlace | undefined;
  sourceError: unknown;
  /** Why the newest commits are not applied. */
  unverified: AppError | undefined;
  /** The commit that listed keys vouch for; undefined where no signature is required. */
  verifiedCommit: string | undefined;
  /** planHead */
  plan: Plan | undefined;
  /** planHead: what the next plan may begin with, if this one is carried out. */
  basis: PlanBasis | undefined;
  /** planHead: how many objects were read; undefined for a whole plan. */
  visitedCount: number | undefined;
  /** executePlan */
  outcomes: readonly ChangeOutcome[];
  /** executePlan: the fields that other writers change back. */
  fights: FieldFights;
  /** executePlan: changes that wait because of that, or because a person changed the object meanwhile. */
  postponed: readonly PlannedChange[];
  /** executePlan: those of them whose object a person changed meanwhile. Their effect never was on the hub. */
  edited: readonly PlannedChange[];
  /** settlePlan */
  settledPlan: Plan | undefined;
  /** followHub: branches with what people did on the hub. */
  hubBranches: readonly ProposedBranch[];
  followError: unknown;
  /** propose */
  proposed: readonly ProposedBranch[];
  proposeError: unknown;
  /** writeStatusBranch */
  statusCommit: string | undefined;
  writeBackError: unknown;
  historyKept: string | undefined;
  nextWriteInMs: number | undefined;
  lastWrite: LastWrite;
}

/** Before the first run. */
export const initialState: RunState = {
  snapshot: undefined,
  readFrom: undefined,
  settledPlan: undefined,
  basis: undefined,
  unverified: undefined,
  followError: undefined,
  proposeError: undefined,
  fights: new Map(),
  postponed: [],
  lastWrite: { atMs: undefined, source: undefined, branch: undefined, error: undefined, historyKept: undefined },
};

/** A scope that begins with what the last run left; a run that follows the branch plans anew. */
export function openRunScope(
  start: Pick<RunScope, "repository" | "reason" | "signal" | "startedAtMs"> & { readonly isFollowing: boolean },
  state: RunState,
): RunScope {
  const { isFollowing, ...given } = start;
  return {
    ...given,
    written: given.repository,
    phasesMs: {},
    snapshot: state.snapshot,
    readFrom: state.readFrom,
    sourceError: undefined,
    unverified: isFollowing ? undefined : state.unverified,
    verifiedCommit: undefined,
    plan: isFollowing ? undefined : state.settledPlan,
    basis: state.basis,
    visitedCount: undefined,
    outcomes: [],
    fights: state.fights,
    postponed: isFollowing ? [] : state.postponed,
    edited: [],
    settledPlan: isFollowing ? undefined : state.settledPlan,
    hubBranches: [],
    followError: state.followError,
    proposed: [],
    proposeError: state.proposeError,
    statusCommit: undefined,
    writeBackError: undefined,
    historyKept: undefined,
    nextWriteInMs: undefined,
    lastWrite: state.lastWrite,
  };
}

/** What the next run begins with. */
export function keptState(scope: RunScope): RunState {
  const { snapshot, readFrom, settledPlan, unverified, followError, proposeError } = scope;
  const { fights, postponed, lastWrite } = scope;
  // What was not carried out is planned again, whole.
  const basis = settledPlan === undefined || postponed.length > 0 ? undefined : scope.basis;
  const found = { snapshot, readFrom, settledPlan, basis, unverified, followError, proposeError };
  return { ...found, fights, postponed, lastWrite };
}

/** True for an object that belongs to this Repository. */
export function isOurs(object: KubeObject, repository: Repository): boolean {
  return belongsTo(object, repositoryLabelOf(repository));
}
