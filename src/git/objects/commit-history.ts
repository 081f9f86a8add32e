import { AppError } from "../../core/errors.ts";
import type { Commit } from "../git.ts";
import type { Visit } from "./visit-queue.ts";
import { VisitQueue } from "./visit-queue.ts";

/** Reads a commit; undefined when it is not here (unknown, or beyond the edge of a shallow history). */
export type ReadKnownCommit = (id: string) => Promise<Commit | undefined>;

/** Two histories walked side by side, newest first; each commit knows from which end it was reached. */
interface HistoryWalk {
  readonly readCommit: ReadKnownCommit;
  readonly visits: Map<string, Visit>;
  readonly queue: VisitQueue;
  /** Commits that may be visited. */
  readonly maximumVisits: number;
}

// Commits with wrong clocks can make an excluded commit turn up late. Source: git, revision.c, SLOP.
const extraSteps = 8;
/** Further walks cost more than to read all of a history once: who pushes a branch chooses how many begin. */
const mostWalks = 8;
/** Characters of all messages of one list together: those of older commits are left out, and approve nothing. */
const longestMessages = 16 * 1024 * 1024;

/**
 * True when `ancestor` is `descendant` or reachable from it; false also when one of them is not here. The work follows
 * the distance between the two, not the length of the history.
 */
export async function isAncestorCommit(
  ancestor: string,
  descendant: string,
  readCommit: ReadKnownCommit,
): Promise<boolean> {
  const oldCommit = await readCommit(ancestor);
  const newCommit = await readCommit(descendant);
  if (!oldCommit || !newCommit) return false;
  const walk = startWalk(newCommit, oldCommit, { readCommit });
  const target = walk.visits.get(ancestor);
  while (target?.isIncluded === false && walk.queue.hasUncommon) await step(walk);
  return target?.isIncluded === true;
}

/**
 * Commits reachable from `to` and not from `from`, newest first, at most `limit`. A `from` that is not here excludes
 * nothing; a `to` that is not here gives none. @throws E_BRANCH_LIMIT beyond `maximumVisits`
 */
export async function listCommitsBetween(options: {
  readonly from: string | undefined;
  readonly to: string;
  readonly limit: number;
  readonly readCommit: ReadKnownCommit;
  /** See {@link CommitRange}. */
  readonly maximumVisits?: number | undefined;
  readonly isBrief?: boolean | undefined;
}): Promise<Commit[]> {
  const { from, to, limit, readCommit, maximumVisits, isBrief = false } = options;
  const newest = await readCommit(to);
  const excluded = from === undefined ? undefined : await readCommit(from);
  if (!newest) return [];
  const walk = startWalk(newest, excluded, { readCommit, maximumVisits });
  const found = new Set<Visit>();
  let stepsLeft = extraSteps;
  while (walk.queue.size > 0 && stepsLeft > 0 && (excluded || found.size < limit)) {
    stepsLeft = walk.queue.hasOnlyIncluded ? extraSteps : stepsLeft - 1;
    const visit = await step(walk);
    if (visit && isOnlyIncluded(visit)) found.add(visit);
  }
  const included = [...found].filter(isOnlyIncluded).map(({ commit }) => commit);
  const exact = excluded ? await withoutAncestors(included, excluded, { readCommit, maximumVisits }) : included;
  const brief = exact.slice(0, limit);
  return isBrief ? brief : withMessages(brief, readCommit);
}

/**
 * Without what is reachable from `old` all the same: a walk ends by dates, which authors choose. Such commits are there with all
 * their ancestors, so the first ones of the list show whether there are any. Then, or where these are many, the whole history of
 * `old` is read.
 */
async function withoutAncestors(
  commits: readonly Commit[],
  old: Commit,
  {
    readCommit,
    maximumVisits = Infinity,
  }: Pick<HistoryWalk, "readCommit"> & { readonly maximumVisits?: number | undefined },
): Promise<readonly Commit[]> {
  const ids = new Set(commits.map(({ id }) => id));
  const firsts = commits.filter(({ parents }) => !parents.some((parent) => ids.has(parent)));
  let isSkewed = firsts.length > mostWalks;
  for (const { id } of isSkewed ? [] : firsts) isSkewed ||= await isAncestorCommit(id, old.id, readCommit);
  if (!isSkewed) return commits;
  const before = new Set([old.id]);
  // The set grows while it is read.
  for (const id of before) {
    for (const parent of (await readCommit(id))?.parents ?? []) before.add(parent);
    if (before.size > maximumVisits) throw tooManyCommits(maximumVisits);
  }
  return commits.filter(({ id }) => !before.has(id));
}

/** A walk keeps no messages: it may visit far more commits than are asked for. */
async function withMessages(commits: readonly Commit[], readCommit: ReadKnownCommit): Promise<Commit[]> {
  const whole: Commit[] = [];
  let length = 0;
  for (const brief of commits) {
    const commit = length > longestMessages ? brief : ((await readCommit(brief.id)) ?? brief);
    length += commit.message.length;
    whole.push(commit);
  }
  return whole;
}

/** The same commits, each behind all that come after it in history: dates of commits do not give this order. */
export function childrenFirst(commits: readonly Commit[]): Commit[] {
  const waiting = new Map(commits.map(({ id }) => [id, 0]));
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  for (const { parents } of commits)
    for (const parent of parents) if (waiting.has(parent)) waiting.set(parent, (waiting.get(parent) ?? 0) + 1);
  const ready = commits.filter(({ id }) => waiting.get(id) === 0);
  // The list grows while it is read.
  for (const { parents } of ready) {
    for (const parent of parents) {
      const children = (waiting.get(parent) ?? 0) - 1;
      waiting.set(parent, children);
      const commit = byId.get(parent);
      if (children === 0 && commit !== undefined) ready.push(commit);
    }
  }
  return ready;
}

function startWalk(
  included: Commit,
  excluded: Commit | undefined,
  {
    readCommit,
    maximumVisits = Infinity,
  }: Pick<HistoryWalk, "readCommit"> & { readonly maximumVisits?: number | undefined },
): HistoryWalk {
  const walk: HistoryWalk = { readCommit, visits: new Map(), queue: new VisitQueue(), maximumVisits };
  reach(walk, included, { isIncluded: true, isExcluded: false });
  if (excluded) reach(walk, excluded, { isIncluded: false, isExcluded: true });
  return walk;
}

/** Takes the newest commit of the queue and reaches its parents from where it was reached itself. */
async function step(walk: HistoryWalk): Promise<Visit | undefined> {
  const visit = walk.queue.take();
  for (const parentId of visit?.commit.parents ?? []) {
    const parent = walk.visits.get(parentId)?.commit ?? (await walk.readCommit(parentId));
    if (visit && parent) reach(walk, parent, visit);
  }
  return visit;
}

function reach(walk: HistoryWalk, commit: Commit, { isIncluded, isExcluded }: Omit<Visit, "commit">): void {
  const known = walk.visits.get(commit.id);
  if (known && (known.isIncluded || !isIncluded) && (known.isExcluded || !isExcluded)) return;
  const visit: Visit = known ?? { commit: { ...commit, message: "" }, isIncluded: false, isExcluded: false };
  walk.visits.set(commit.id, visit);
  walk.queue.reach(visit, { isIncluded, isExcluded });
  if (walk.visits.size > walk.maximumVisits) throw tooManyCommits(walk.maximumVisits);
}

function tooManyCommits(maximumVisits: number): AppError {
  const text = `compare two branches: they have more than ${maximumVisits} commits that they do not share`;
  return new AppError("E_BRANCH_LIMIT", text, { data: { maximumVisits } });
}

function isOnlyIncluded({ isIncluded, isExcluded }: Visit): boolean {
  return isIncluded && !isExcluded;
}
