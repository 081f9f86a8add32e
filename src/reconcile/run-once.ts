import { parseGoDuration } from "../core/duration.ts";
import { AppError, describeError, isAppError } from "../core/errors.ts";
import { countOf } from "../core/count-of.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository, RepositoryCounts } from "../model/generated/repository.ts";
import { matchesGlob } from "../core/name-glob.ts";
import type { Plan } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { findCondition } from "../planning/conditions.ts";
import type { FieldFights } from "../planning/field-fights.ts";
import { currentFights, nextFightInMs } from "../planning/field-fights.ts";
import { reserveRemovals } from "../planning/repository-state.ts";
import { renderStatusFiles } from "../planning/render-status.ts";
import { computeStatusRecords } from "../planning/status-records.ts";
import { signStatus } from "../planning/status-signature.ts";
import { propose } from "./propose.ts";
import { ProposalBranches } from "./proposals.ts";
import { readHead } from "./read-head.ts";
import type { RunScope } from "./run-scope.ts";
import { isOurs } from "./run-scope.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import { executePlan } from "./execute-plan.ts";
import type { ReconcilerOptions, RunPhase } from "./reconciler-options.ts";
import type { RunResult } from "./repository-status.ts";
import { computeRepositoryStatus, withheldObjects } from "./repository-status.ts";
import { createProblemTeller } from "./tell-problems.ts";
import { applyStatus } from "./apply-status.ts";
import type { StatusBranch } from "./write-back.ts";
import { defaultStatusBranch } from "./write-back.ts";

/** Why to run: look at branch and hub and make the second follow the first, or only tell what members have become. */
export type RunReason = "look" | "tell";

/**
 * The run of a Repository, with what it remembers between runs: the last snapshot, the plan that was carried out, and when
 * it last wrote back. Returns milliseconds until something is due by itself. Throws when writes failed, so that the queue
 * backs off and tries again.
 */
export function createRun(
  options: ReconcilerOptions,
  statusBranch: StatusBranch,
): (reason: RunReason, signal: AbortSignal) => Promise<number | undefined> {
  let snapshot: SourceSnapshot | undefined;
  let settledPlan: Plan | undefined;
  let unverified: AppError | undefined;
  const proposalBranches = new ProposalBranches(options.git);
  const tellProblems = createProblemTeller(options.log);
  let fights: FieldFights = new Map();
  const writes: WriteMemory = { lastAtMs: undefined, lastSource: undefined, lastBranch: undefined, error: undefined };
  return async (reason, signal) => {
    const repository = options.readRepository();
    if (!repository || repository.spec.suspend === true) return undefined;
    await options.view.whenSynced(signal);
    const scope: RunScope = {
      repository,
      signal,
      startedAtMs: options.clock.monotonicMs(),
      phasesMs: {},
      snapshot,
      sourceError: undefined,
      unverified,
      verifiedCommit: undefined,
      plan: settledPlan,
      outcomes: [],
      fights,
      postponed: [],
      proposed: [],
      statusCommit: undefined,
      writeBackError: undefined,
      nextWriteInMs: undefined,
    };
    if (reason === "look" || settledPlan === undefined) {
      settledPlan = undefined;
      scope.plan = undefined;
      scope.unverified = undefined;
      await timePhase("read", options, scope, () => readHead(options, scope));
      snapshot = scope.snapshot;
      unverified = scope.unverified;
      await timePhase("plan", options, scope, () => planOrExplain(options, scope));
      await countRemovals(options, scope);
      await timePhase("execute", options, scope, () => executePlan(options, scope));
      fights = scope.fights;
      settledPlan = settledPlanOf(scope);
      await timePhase("propose", options, scope, () => propose(options, proposalBranches, scope));
    }
    const settled = await writeRepositoryStatus(options, scope);
    await timePhase("writeBack", options, scope, () => writeBack(options, statusBranch, { scope, settled, writes }));
    const written = await writeRepositoryStatus(options, scope);
    const unverifiedCommit = scope.unverified?.data["commit"];
    const refused =
      scope.unverified && typeof unverifiedCommit === "string"
        ? { commit: unverifiedCommit, message: scope.unverified.message }
        : undefined;
    if (reason === "look" && scope.snapshot && scope.plan) {
      const { snapshot: read, plan } = scope;
      tellProblems(plan.problems, read.commit.id);
      options.onMain?.({ repository: written, snapshot: read, problems: plan.problems });
    }
    options.onForgeNews?.({ repository: written, unverified: refused, proposed: scope.proposed });
    reportRun(options, scope);
    const fightInMs = nextFightInMs(scope.fights, options.clock.monotonicMs());
    if (scope.nextWriteInMs === undefined || fightInMs === undefined) return scope.nextWriteInMs ?? fightInMs;
    return Math.min(scope.nextWriteInMs, fightInMs);
  };
}

async function timePhase(
  phase: RunPhase,
  { clock }: ReconcilerOptions,
  { phasesMs }: RunScope,
  work: () => Promise<void>,
): Promise<void> {
  const startMs = clock.monotonicMs();
  await work();
  phasesMs[phase] = clock.monotonicMs() - startMs;
}

/** What a plan made right after this one would say; undefined when that is not known. */
function settledPlanOf({ plan, outcomes, postponed, sourceError }: RunScope): Plan | undefined {
  if (postponed.length > 0) return undefined;
  if (!plan || sourceError !== undefined || outcomes.some(({ error }) => error !== undefined)) return undefined;
  return { ...plan, changes: [], removals: [], account: { ...plan.account, charges: [], returned: [] } };
}

/** A repository that must not be planned says so in its status; nothing of it is applied. */
async function planOrExplain(options: ReconcilerOptions, scope: RunScope): Promise<void> {
  try {
    await planHead(options, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!isAppError(error) || error.recovery === "bug") throw error;
    scope.sourceError = error;
    options.log.warn("planning the commit failed", { error });
  }
}

async function planHead(options: ReconcilerOptions, scope: RunScope): Promise<void> {
  if (!scope.snapshot) return;
  const planned = await options.planner.plan(scope.repository, scope.snapshot);
  scope.plan = planned.plan;
}

/**
 * Counts the plan's removals in Repository.status before any of them is carried out: whatever stops this process, or another
 * one that believes to lead, what was removed is known. Nothing of the plan is carried out when that write fails.
 */
async function countRemovals(options: ReconcilerOptions, scope: RunScope): Promise<void> {
  const { plan, repository, signal } = scope;
  const status = plan && reserveRemovals(repository.status, plan, options.clock.nowMs());
  if (status === undefined) return;
  // A change since the plan was made is a conflict: the next run plans anew.
  scope.repository = await applyStatus(options, { repository, status, signal, isStrict: true });
}

/** Writes Repository.status when it says something new; returns the repository as it is then. */
async function writeRepositoryStatus(options: ReconcilerOptions, scope: RunScope): Promise<Repository> {
  const repository = options.readRepository() ?? scope.repository;
  const requested = repository.metadata.annotations?.[annotationKeys.requestedAt];
  const result: RunResult = {
    ...(scope.plan ? { plan: scope.plan } : {}),
    ...(scope.snapshot ? { author: scope.snapshot.commit.author.name } : {}),
    outcomes: scope.outcomes,
    fights: currentFights(scope.fights, options.clock.monotonicMs()),
    sourceError: scope.sourceError,
    unverified: scope.unverified,
    ...(scope.verifiedCommit === undefined ? {} : { verifiedCommit: scope.verifiedCommit }),
    writeBackError: scope.writeBackError,
    ...(scope.statusCommit === undefined ? {} : { statusCommit: scope.statusCommit }),
    counts: countFleet(options, scope),
    workspaceLimit: options.workspaceLimit,
    serves: options.serves,
    openedUrl: options.openedUrl,
    ...(requested === undefined ? {} : { handledRequest: requested }),
  };
  const status = computeRepositoryStatus(repository, result, options.clock.nowMs());
  return applyStatus(options, { repository, status, signal: scope.signal });
}

/** What is remembered of the last write back. */
interface WriteMemory {
  lastAtMs: number | undefined;
  lastSource: string | undefined;
  lastBranch: string | undefined;
  error: unknown;
}

async function writeBack(
  options: ReconcilerOptions,
  statusBranch: StatusBranch,
  context: {
    readonly scope: RunScope;
    readonly settled: Repository;
    readonly writes: WriteMemory;
  },
): Promise<void> {
  const { scope, settled, writes } = context;
  const spec = settled.spec.writeBack ?? {};
  const source = settled.status?.observedCommit;
  if (spec.mode === "None" || source === undefined) return;
  const branch = spec.branch ?? defaultStatusBranch;
  // Another branch has nothing yet: it does not wait either.
  const isNew = source !== writes.lastSource || branch !== writes.lastBranch;
  const nowMs = options.clock.nowMs();
  const intervalMs = parseGoDuration(spec.interval ?? "60s") ?? 60_000;
  const waitMs = writes.lastAtMs === undefined || isNew ? 0 : writes.lastAtMs + intervalMs - nowMs;
  if (waitMs > 0) {
    scope.nextWriteInMs = waitMs;
    // What failed last has not succeeded since.
    scope.writeBackError = writes.error;
    return;
  }
  const { view } = options;
  const hub = options.hubFacts();
  const records = computeStatusRecords({
    repository: settled,
    hub,
    members: oursOf(options, settled).map((cluster) => {
      const { namespace: workspace = "", name } = cluster.metadata;
      return { workspace, name, cluster, memory: view.memoryOf(workspace, name) };
    }),
    tokens: view
      .list(resourceTypes.clusterRegistrationToken)
      .filter((object) => isOurs(object, settled))
      .flatMap(({ metadata }) => view.tokenOf(metadata.namespace ?? "", metadata.name) ?? []),
    groupCount: view.list(resourceTypes.clusterGroup).filter((object) => isOurs(object, settled)).length,
    workspaces: options.view.workspaces.filter((name) =>
      (settled.spec.workspaces ?? ["*"]).some((pattern) => matchesGlob(pattern, name)),
    ),
    plan: scope.plan,
    problems: scope.plan?.problems ?? [],
  });
  const { counts } = records.summary;
  const before = scope.repository.status?.statusCommit;
  try {
    refuseUnsupported(spec);
    scope.statusCommit = await statusBranch.write({
      branch,
      files: renderStatusFiles(records),
      sign: (commit) => {
        const { namespace = "", name } = settled.metadata;
        const { epoch } = hub.trust;
        const sealed = { ...commit, hub: hub.hubId, repository: `${namespace}.${name}`, epoch };
        return signStatus(sealed, (payload) => hub.trust.sign(payload));
      },
      sourceCommit: source,
      subject: `status: ${counts.ready ?? 0} of ${countOf(counts.clusters, "cluster")} ready`,
      committedAtMs: nowMs,
      signal: scope.signal,
    });
    if (scope.statusCommit !== before) writes.lastAtMs = nowMs;
    writes.lastSource = source;
    writes.lastBranch = branch;
    writes.error = undefined;
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.writeBackError = error;
    writes.error = error;
    writes.lastAtMs = nowMs;
    writes.lastSource = source;
    writes.lastBranch = branch;
    scope.nextWriteInMs = intervalMs;
    options.log.warn("writing back failed", { error });
  }
}

/** @throws E_UNSUPPORTED for a field that has no effect: the status must not go elsewhere, or unsigned, without a message */
function refuseUnsupported(spec: NonNullable<Repository["spec"]["writeBack"]>): void {
  const fields = (["url", "secretRef", "signingKeySecretRef"] as const).filter((name) => spec[name] !== undefined);
  const wanted = [...(spec.mode === "Repository" ? ["mode: Repository"] : []), ...fields].join(", ");
  if (wanted === "") return;
  throw new AppError(
    "E_UNSUPPORTED",
    `write the status branch: spec.writeBack has ${wanted}, which this version does not support, so nothing is written; remove it and use mode: Branch, or use mode: None`,
    { recovery: "stalled" },
  );
}

function countFleet(options: ReconcilerOptions, scope: RunScope): RepositoryCounts {
  const clusters = oursOf(options, scope.repository);
  return {
    files: scope.snapshot?.files.size ?? 0,
    clusters: clusters.length,
    readyClusters: clusters.filter(({ status }) => findCondition(status?.conditions, "Ready")?.status === "True")
      .length,
    tokens: options.view
      .list(resourceTypes.clusterRegistrationToken)
      .filter((object) => isOurs(object, scope.repository)).length,
    groups: options.view.list(resourceTypes.clusterGroup).filter((object) => isOurs(object, scope.repository)).length,
  };
}

function oursOf({ view }: ReconcilerOptions, repository: Repository): Cluster[] {
  return view.list(resourceTypes.cluster).filter((object) => isOurs(object, repository)) as unknown[] as Cluster[];
}

function countChanges(plan: Plan | undefined): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const { kind } of plan?.changes ?? []) sizes[kind] = (sizes[kind] ?? 0) + 1;
  return sizes;
}

function reportRun(options: ReconcilerOptions, scope: RunScope): void {
  const failed = scope.outcomes.filter(({ error }) => error !== undefined);
  const failure = scope.sourceError ?? failed[0]?.error;
  options.onRun?.({
    commit: scope.snapshot?.commit.id,
    committedAtMs: scope.snapshot?.commit.committedAtMs,
    appliedBefore: scope.repository.status?.appliedCommit,
    statusCommitBefore: scope.repository.status?.statusCommit,
    planSizes: countChanges(scope.plan),
    failedCount: failed.length,
    durationMs: options.clock.monotonicMs() - scope.startedAtMs,
    phasesMs: scope.phasesMs,
    isApplied: !scope.unverified && options.readRepository()?.status?.appliedCommit === scope.snapshot?.commit.id,
    changeCount: scope.outcomes.length - failed.length,
    parsedCount: scope.snapshot?.parsedCount ?? 0,
    errorCount: scope.plan?.problems.filter(({ severity }) => severity === "error").length ?? 0,
    withheldCount: scope.plan ? withheldObjects(scope.plan).length : 0,
    statusCommit: scope.statusCommit,
    failure: failure ?? scope.unverified,
  });
  if (failure !== undefined) {
    throw failure instanceof AppError
      ? failure
      : new AppError("E_BUG", `run: ${describeError(failure)}`, { cause: failure });
  }
}
