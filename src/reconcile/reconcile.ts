// reconcile: the daemon of one Repository: triggers -> queue -> phases -> plan -> outcome. One run is level-based: it reads
// the head of the branch and the hub, and makes the hub match the head.
import type { Repository } from "../model/generated/repository.ts";
import { belongsTo, repositoryLabelOf } from "../model/repository-label.ts";
import { reconcileIntervalMs } from "./reconcile-interval.ts";
import type { QueueCounts } from "../core/work-queue.ts";
import { WorkQueue } from "../core/work-queue.ts";
import type { ViewChange } from "../hub/hub-view.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { isJsonEqual } from "../core/json.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { editsByHand } from "../planning/edits-by-hand.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
import { hasHubPolicy } from "../planning/hub-policy.ts";
import { holdForAWhile } from "./execute-plan.ts";
import { HubFollower } from "./follow-hub.ts";
import { createRun } from "./run-once.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { MainBranch } from "./review-pull-requests.ts";
import { PullRequestReviewer } from "./review-pull-requests.ts";
import type { ForgeNews } from "./report-to-forge.ts";
import { ForgeReporter } from "./report-to-forge.ts";
import { StatusRecorder } from "./status-recorder.ts";
import { TouchedObjects } from "./touched-objects.ts";
import { StatusBranch } from "./write-back.ts";

export interface Reconciler {
  /** Something may have changed: reconcile the branch and the hub soon. */
  enqueue(): void;
  queueCounts(): QueueCounts;
  /** What was read of the branch last. Undefined before the first read. */
  snapshot(): SourceSnapshot | undefined;
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

const runKey = "repository";
const reviewKey = "pull-requests";
/** Changes that arrive together are reconciled together. */
const gatherMs = 20;
/** New states of members that come within this time are reported together. */
const reportMs = 1000;
/**
 * Clusters that join without a file are no drift; rules may have a label for them. Many may join one after the other: runs
 * for them take a twentieth of the time at most.
 */
const gatherNewClustersMs = 1000;
const newClustersShare = 20;
/** So long at most, members wait for the end of the first run: after a start, all of them are due at once. */
const firstCommitMs = 10_000;
/** What a person does on the hub, with all that comes of one `kubectl apply`. */
const gatherHubChangesMs = 1000;

/** Starts the daemon of one Repository. Only one leader may run it at a time. */
export function startReconciler(options: ReconcilerOptions): Reconciler {
  const { clock, random, log, view, readRepository } = options;
  let main: MainBranch | undefined;
  let hubChanges = 0;
  const reporting = startReporting(options);
  const reviews = startReviews(options, { readMain: () => main, hubChanges: () => hubChanges });
  const hubFollower = new HubFollower(options);
  const touched = new TouchedObjects(view);
  const recorder = new StatusRecorder(view, options.writableTypes);
  const releaseMembers = holdForAWhile(options, firstCommitMs);
  const news = gatherNews(() => queue.addAfter(runKey, reportMs));
  const run = createRun(
    {
      ...options,
      onMain: (read) => {
        main = read;
        reviews.add(reviewKey);
        options.onMain?.(read);
      },
      onForgeNews: reporting.send,
    },
    { statusBranch: new StatusBranch(options.git), recorder, hubFollower, touched },
  );
  /** When branch and hub are read next; the new states of members are reported without that. */
  let reconcileAtMs = 0;
  /** How long the last run took that read them. */
  let lastReadMs = 0;
  const reconcileIn = (delayMs: number): void => {
    reconcileAtMs = Math.min(reconcileAtMs, clock.monotonicMs() + delayMs);
    queue.addAfter(runKey, delayMs);
  };
  const queue = new WorkQueue({
    clock,
    random,
    work: async (_key, signal) => {
      const reason = clock.monotonicMs() >= reconcileAtMs ? "read" : "report";
      if (reason === "read")
        reconcileAtMs = clock.monotonicMs() + reconcileIntervalMs(readRepository()?.spec.interval, random);
      const startMs = clock.monotonicMs();
      const wasDue = reason === "read" && hubFollower.dueInMs() === 0;
      const againInMs = await news.after(run(reason, signal).finally(releaseMembers));
      if (reason === "read") lastReadMs = clock.monotonicMs() - startMs;
      reconcileAtMs = Math.min(reconcileAtMs, clock.monotonicMs() + hubReadInMs(wasDue, hubFollower.dueInMs()));
      return Math.min(againInMs, Math.max(0, reconcileAtMs - clock.monotonicMs()));
    },
    onError: (_key, error, retryInMs) => {
      reconcileAtMs = 0;
      log.warn("run failed", { error, retryInMs });
    },
  });
  const unsubscribeFromChanges = view.subscribe((change) => {
    // Heartbeats change no plan.
    if (change.ref.type !== resourceTypes.lease) hubChanges += 1;
    const repository = readRepository();
    if (repository && main) hubFollower.record(change, repository, main.snapshot);
    const delayMs = reconcileDelayMs(change, repository, { ...options, lastReadMs });
    if (delayMs !== undefined) reconcileIn(delayMs);
    else if (isNewsForStatus(change)) news.add();
  });
  const unsubscribeFromWorkspaces = view.subscribeToWorkspaces(() => reconcileIn(gatherMs));
  reconcileIn(0);
  return {
    enqueue: () => reconcileIn(0),
    queueCounts: () => queue.counts,
    snapshot: () => main?.snapshot,
    whenIdle: async () => {
      await queue.whenIdle();
      await reporting.whenIdle();
      await reviews.whenIdle();
    },
    stop: async () => {
      for (const end of [releaseMembers, unsubscribeFromChanges, unsubscribeFromWorkspaces]) end();
      touched.stop();
      await queue.stop();
      recorder.stop();
      await reporting.stop();
      await reviews.stop();
    },
  };
}

/**
 * Reports new states of members; while a run is under way, or the last one failed and waits to be tried again, by the run that
 * follows. Members report all the time, so the wait would be none.
 */
function gatherNews(report: () => void) {
  let isHeld = false;
  let isWaiting = false;
  return {
    add: (): void => {
      if (isHeld) isWaiting = true;
      else report();
    },
    /** Milliseconds until the next run, by what this one returns. */
    after: async (run: Promise<number | undefined>): Promise<number> => {
      [isHeld, isWaiting] = [true, false];
      const againInMs = await run;
      isHeld = false;
      return Math.min(againInMs ?? Infinity, isWaiting ? reportMs : Infinity);
    },
  };
}

/** A read that decided nothing of what was due on the hub is repeated after this. */
const undecidedMs = 10_000;

/**
 * Milliseconds until changes of the hub are read, by when they are due after a run. What was due before a read and could not be
 * decided (git refused it, the Repository is suspended) must not be read at once again.
 */
function hubReadInMs(wasDue: boolean, dueInMs: number | undefined): number {
  return wasDue && dueInMs === 0 ? undecidedMs : (dueInMs ?? Infinity);
}

/** The forge receives the results of commits from a queue of its own: a forge that does not answer delays no run. */
function startReporting({ clock, random, log, openForge }: ReconcilerOptions) {
  const reporter = openForge && new ForgeReporter(openForge, log);
  let news: ForgeNews | undefined;
  /** Each run has news, and there may be one a second: none of them ends the wait after a failure. */
  let isFailing = false;
  const queue = new WorkQueue({
    clock,
    random,
    work: async (_key, signal) => {
      if (news) await reporter?.send(news, signal);
      isFailing = false;
    },
    onError: (_key, error, retryInMs) => {
      isFailing = true;
      log.warn("reporting to the forge failed", { error, retryInMs });
    },
  });
  return {
    send: (newest: ForgeNews): void => {
      news = newest;
      if (!isFailing) queue.add("forge");
    },
    whenIdle: () => queue.whenIdle(),
    stop: () => queue.stop(),
  };
}

/** Pull requests are reviewed after each read of the branch, in a queue of their own: no run waits for answers of a forge. */
function startReviews(
  options: ReconcilerOptions,
  { readMain, hubChanges }: { readonly readMain: () => MainBranch | undefined; readonly hubChanges: () => number },
): WorkQueue {
  const { clock, random, log, view, git, planner, openForge } = options;
  const reviewer =
    openForge &&
    new PullRequestReviewer({
      git,
      planner,
      observed: view,
      openForge,
      monotonicMs: () => clock.monotonicMs(),
      hubChanges,
      log,
    });
  return new WorkQueue({
    clock,
    random,
    work: async (_key, signal) => {
      const main = readMain();
      return main && reviewer?.review(main, signal);
    },
    onError: (_key, error, retryInMs) => log.warn("reviewing pull requests failed", { error, retryInMs }),
  });
}

/** Milliseconds until branch and hub are read for this change; undefined when it is no reason to. */
function reconcileDelayMs(
  change: ViewChange,
  repository: Repository | undefined,
  { writableTypes, lastReadMs }: Pick<ReconcilerOptions, "writableTypes"> & { readonly lastReadMs: number },
): number | undefined {
  if (isDrift(change, repository))
    return isNewCluster(change) ? Math.max(gatherNewClustersMs, newClustersShare * lastReadMs) : gatherMs;
  if (repository && hasHubPolicy(repository.spec) && isHubChange(change, writableTypes)) return gatherHubChangesMs;
  return undefined;
}

/** True when the hub may no longer match what git declares. Status and heartbeats are no drift. */
function isDrift({ ref, object, before, isPlanned }: ViewChange, repository: Repository | undefined): boolean {
  if (isPlanned) return false;
  const isGits =
    ref.type === resourceTypes.cluster ||
    ref.type === resourceTypes.clusterRegistrationToken ||
    ref.type === resourceTypes.clusterGroup ||
    ref.type === resourceTypes.secret;
  if (!isGits) return false;
  const label = repository === undefined ? "" : repositoryLabelOf(repository);
  if (![object, before].some((version) => version && belongsTo(version, label))) return false;
  if (!object || !before) return true;
  return !isJsonEqual(meaningOf(object), meaningOf(before));
}

/** True when a person may have written what no file declares. */
function isHubChange(
  { ref, object, before, isPlanned }: ViewChange,
  types: ReconcilerOptions["writableTypes"],
): boolean {
  if (isPlanned || types?.includes(ref.type) !== true) return false;
  if (object && before && isJsonEqual(meaningOf(object), meaningOf(before))) return false;
  return [object, before].some((version) => version !== undefined && isTouchedByHand(version));
}

function isTouchedByHand(object: KubeObject): boolean {
  const managers = [fieldManagers.git, fieldManagers.hub];
  return editsByHand(object).length > 0 || !managers.some((manager) => isAppliedBy(object, manager));
}

/** True for a Cluster that git never applied. */
function isNewCluster({ ref, object, before }: ViewChange): boolean {
  if (ref.type !== resourceTypes.cluster || object === undefined) return false;
  return [object, before].every((version) => version === undefined || !isAppliedBy(version, fieldManagers.git));
}

function meaningOf({ metadata, ...rest }: KubeObject): unknown {
  const { labels, annotations, deletionTimestamp } = metadata;
  return { spec: rest["spec"], data: rest["data"], labels, annotations, deletionTimestamp };
}

/** True when the status branch may have something new to record. */
function isNewsForStatus({ ref, object, before }: ViewChange): boolean {
  if (ref.type === resourceTypes.cluster || ref.type === resourceTypes.clusterRegistrationToken) {
    return !isJsonEqual(object?.["status"], before?.["status"]);
  }
  return false;
}
