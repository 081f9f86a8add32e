import { countOf } from "../core/count-of.ts";
import { cutText } from "../core/trim-characters.ts";
import type {
  CommitOutcome,
  Repository,
  RepositorySpec,
  RepositoryStatus,
  ReservedGroup,
} from "../model/generated/repository.ts";
import type { Removal as RecordedRemoval } from "../model/generated/removal.ts";
import type { Plan, PlannedChange } from "../model/plan.ts";
import type { SourcePlace } from "../model/generated/source-place.ts";
import { spendApprovals, waitingOf } from "./approvals.ts";
import { toTime } from "./conditions.ts";

const dayMs = 24 * 3_600_000;
const hourMs = 3_600_000;

/** True while removals of the hour that begins then may be of the last 24 hours. */
function isCounted(hour: string, nowMs: number): boolean {
  return nowMs - Date.parse(hour) < dayMs + hourMs;
}

/** How many removals are counted in the last 24 hours: hour by hour, so that none counts for less than a day. */
export function countRecentRemovals(status: RepositoryStatus | undefined, nowMs: number): number {
  return (status?.deletions?.hours ?? [])
    .filter(({ hour }) => isCounted(hour, nowMs))
    .reduce((sum, { count }) => sum + count, 0);
}

/** Removals that are counted, but perhaps not carried out: the id, and the approval that each is charged to. */
export function reservedRemovals(
  status: RepositoryStatus | undefined,
  nowMs: number,
): { readonly reserved: ReadonlyMap<string, string | undefined>; readonly isReservedCounted: boolean } {
  const { groups = [], hour } = status?.removing ?? {};
  const entries = groups.flatMap(({ approval, removals }) =>
    removals.map((id): [string, string | undefined] => [id, approval]),
  );
  return { reserved: new Map(entries), isReservedCounted: hour !== undefined && isCounted(hour, nowMs) };
}

const actions = { leave: "Leave", move: "Move", protocol: "ProtocolChange", label: "LabelRemoval" } as const;

/**
 * Repository.status with the removals of a plan counted, which must be written before any of them is carried out. Undefined
 * when the plan counts nothing and takes nothing back.
 */
export function reserveRemovals(
  status: RepositoryStatus | undefined,
  plan: Plan,
  nowMs: number,
): RepositoryStatus | undefined {
  const { charges, returned, approvals } = plan.account;
  const before = status?.removing?.hour;
  const isCountedStill = before !== undefined && isCounted(before, nowMs);
  const waiting = isCountedStill ? waitingOf(returned, charges) : [];
  const reservedBefore = (status?.removing?.groups ?? []).flatMap(({ removals }) => removals);
  if (charges.length === 0 && waiting.length === reservedBefore.length) return undefined;
  const thisHour = toTime(Math.floor(nowMs / hourMs) * hourMs);
  const hour = charges.length === 0 && before !== undefined ? before : thisHour;
  const hours = new Map((status?.deletions?.hours ?? []).map((entry) => [entry.hour, entry.count]));
  if (before !== undefined) hours.set(before, Math.max(0, (hours.get(before) ?? 0) - returned.length));
  hours.set(hour, (hours.get(hour) ?? 0) + charges.length + waiting.length);
  const time = toTime(nowMs);
  const added: RecordedRemoval[] = plan.removals.map(({ kind, cluster }) => ({
    object: `Cluster/${cluster}`,
    action: actions[kind],
    ...(plan.commit === undefined ? {} : { commit: plan.commit }),
    time,
  }));
  const last = withoutRecounted(status?.deletions?.last ?? [], plan);
  const groups = new Map<string | undefined, string[]>();
  for (const { id, approval } of [...charges, ...waiting]) {
    const ids = groups.get(approval) ?? [];
    groups.set(approval, ids);
    ids.push(id);
  }
  const { removing: _, deletions: _deletions, approvals: _approvals, ...rest } = status ?? {};
  const spent = spendApprovals(approvals, charges, 1);
  return {
    ...rest,
    ...deletionsOf(hours, [...added, ...last], nowMs),
    ...(spent.length === 0 ? {} : { approvals: [...spent] }),
    ...(groups.size === 0 ? {} : { removing: { hour, groups: [...groups].map(toGroup) } }),
  };
}

/** What waits longer than this is not listed, and counts until a day has passed. */
const mostReserved = 20_000;

function toGroup([approval, removals]: readonly [string | undefined, string[]]): ReservedGroup {
  return { ...(approval === undefined ? {} : { approval }), removals: removals.slice(0, mostReserved) };
}

/** The newest entry of each removal that is counted anew falls out. */
function withoutRecounted(
  last: readonly RecordedRemoval[],
  { account: { charges, returned } }: Plan,
): RecordedRemoval[] {
  const waiting = new Set(waitingOf(returned, charges));
  const recounted = returned.filter((removal) => !waiting.has(removal));
  const objects = new Set(recounted.map(({ cluster }) => `Cluster/${cluster}`));
  return last.filter(({ object }) => !objects.delete(object));
}

function deletionsOf(
  hours: ReadonlyMap<string, number>,
  last: readonly RecordedRemoval[],
  nowMs: number,
): Pick<RepositoryStatus, "deletions"> {
  const kept = [...hours]
    .filter(([hour, count]) => count > 0 && isCounted(hour, nowMs))
    .map(([hour, count]) => ({ hour, count }));
  if (kept.length === 0 && last.length === 0) return {};
  return {
    deletions: { count: kept.reduce((sum, { count }) => sum + count, 0), hours: kept, last: last.slice(0, 20) },
  };
}

/** The record of removals without what is older than a day, and without reservations of what was carried out. */
export function settleRemovals(
  status: RepositoryStatus | undefined,
  carriedOut: ReadonlySet<string>,
  nowMs: number,
): Pick<RepositoryStatus, "deletions" | "removing"> {
  const { deletions, removing } = status ?? {};
  const hours = new Map((deletions?.hours ?? []).map(({ hour, count }) => [hour, count]));
  const groups = (removing?.groups ?? [])
    .map(({ removals, ...group }) => ({ ...group, removals: removals.filter((id) => !carriedOut.has(id)) }))
    .filter(({ removals }) => removals.length > 0);
  return {
    ...deletionsOf(hours, deletions?.last ?? [], nowMs),
    ...(removing && groups.length > 0 ? { removing: { ...removing, groups } } : {}),
  };
}

/** Where the commit range begins whose removals are not settled yet. */
export function rangeBaseOf(status: RepositoryStatus | undefined): string | undefined {
  return status?.settledCommit ?? status?.appliedCommit;
}

/** Where the files of a Repository are read. */
export function sourcePlaceOf({ url, ref }: RepositorySpec): SourcePlace {
  return { url, branch: ref?.branch ?? "main" };
}

/**
 * True when the Repository follows another address or branch than the one that its settled commit was read from. What an
 * earlier version settled is known by the address alone.
 */
export function isElsewhere(status: RepositoryStatus | undefined, spec: RepositorySpec): boolean {
  const { url, branch }: SourcePlace = status?.settledFrom ?? { url: status?.url };
  const place = sourcePlaceOf(spec);
  return (url !== undefined && url !== place.url) || (branch !== undefined && branch !== place.branch);
}

/** The repository as if `base` were applied, and nothing after it. */
export function withRangeBase(repository: Repository, base: string): Repository {
  const { settledCommit: _, ...status } = repository.status ?? {};
  return { ...repository, status: { ...status, appliedCommit: base } };
}

const longestAuthor = 256;

/** The outcome of a commit, as one term, as numbers and as a sentence. */
export function outcomeOf(
  plan: Plan,
  failed: readonly PlannedChange[],
  context: { readonly nowMs: number; readonly author?: string; readonly postponed?: readonly PlannedChange[] },
): CommitOutcome {
  const errors = plan.problems.filter(({ severity }) => severity === "error").length;
  const withheld = plan.withheld.length + plan.heldDeletes.length;
  const { postponed = [] } = context;
  const undone = new Set([...failed, ...postponed]);
  const done = plan.changes.filter((change) => !undone.has(change));
  const removals = done.filter(({ kind }) => kind === "leave" || kind === "delete").length;
  const parts = [
    countOf(done.length, "change"),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(postponed.length > 0 ? [`${postponed.length} postponed`] : []),
    ...(errors > 0 ? [`${countOf(errors, "error")} in files`] : []),
    ...(withheld > 0 ? [`${countOf(withheld, "removal")} withheld`] : []),
  ];
  const outcome = withheld > 0 ? "Withheld" : undone.size > 0 || errors > 0 ? "Partial" : "Applied";
  return {
    commit: plan.commit ?? "",
    time: toTime(context.nowMs),
    ...(context.author === undefined ? {} : { author: cutText(context.author, longestAuthor) }),
    outcome,
    counts: { changes: done.length, removals, failed: failed.length, errors, withheld },
    message: `${parts.join(", ")}.`,
  };
}

/** Newest first, at most twenty; a commit that is worked on again replaces its entry only when its outcome changed. */
export function recordOutcome(recent: readonly CommitOutcome[] | undefined, outcome: CommitOutcome): CommitOutcome[] {
  const [newest, ...older] = recent ?? [];
  if (newest?.commit !== outcome.commit) return [outcome, ...(recent ?? [])].slice(0, 20);
  if (newest.outcome === outcome.outcome) return [newest, ...older];
  return [{ ...outcome }, ...older];
}
