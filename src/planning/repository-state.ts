import type { CommitOutcome, Repository, RepositoryStatus } from "../model/generated/repository.ts";
import type { Removal as RecordedRemoval } from "../model/generated/removal.ts";
import type { Plan, PlannedChange, Removal } from "../model/plan.ts";
import { annotationKeys } from "../model/well-known.ts";
import { toTime } from "./conditions.ts";

const dayMs = 24 * 3_600_000;
const hourMs = 3_600_000;

/** How many removals were carried out in the last 24 hours. */
export function countRecentRemovals(status: RepositoryStatus | undefined, nowMs: number): number {
  return (status?.deletions?.hours ?? [])
    .filter(({ hour }) => nowMs - Date.parse(hour) < dayMs)
    .reduce((sum, { count }) => sum + count, 0);
}

const actions = { leave: "Leave", move: "Move", protocol: "ProtocolChange", label: "LabelRemoval" } as const;

/** The record of removals with those of a plan that was carried out; what is older than a day falls out. */
export function recordRemovals(
  status: RepositoryStatus | undefined,
  removals: readonly Removal[],
  context: { readonly nowMs: number; readonly commit: string },
): RepositoryStatus["deletions"] {
  const { nowMs, commit } = context;
  const hour = toTime(Math.floor(nowMs / hourMs) * hourMs);
  const hours = new Map((status?.deletions?.hours ?? []).map((entry) => [entry.hour, entry.count]));
  if (removals.length > 0) hours.set(hour, (hours.get(hour) ?? 0) + removals.length);
  const kept = [...hours]
    .filter(([start]) => nowMs - Date.parse(start) < dayMs)
    .map(([start, count]) => ({ hour: start, count }));
  const time = toTime(nowMs);
  const added: RecordedRemoval[] = removals.map(({ kind, cluster }) => ({
    object: `Cluster/${cluster}`,
    action: actions[kind],
    commit,
    time,
  }));
  const last = [...added, ...(status?.deletions?.last ?? [])].slice(0, 20);
  if (kept.length === 0 && last.length === 0) return undefined;
  return { count: kept.reduce((sum, { count }) => sum + count, 0), hours: kept, last };
}

/** The count that `rollcall approve-deletions <commit> <count>` allows for this head; the commit may be abbreviated. */
export function approvedByAnnotation(repository: Repository, head: string): number | undefined {
  const text = repository.metadata.annotations?.[annotationKeys.approvedDeletions] ?? "";
  const match = /^([0-9a-f]{7,64}) (\d{1,6})$/u.exec(text);
  return match?.[1] !== undefined && head.startsWith(match[1]) ? Number(match[2]) : undefined;
}

const longestAuthor = 256;

/** How a commit fared, in one word, in numbers and a sentence. */
export function outcomeOf(
  plan: Plan,
  failed: readonly PlannedChange[],
  context: { readonly nowMs: number; readonly author?: string },
): CommitOutcome {
  const errors = plan.problems.filter(({ severity }) => severity === "error").length;
  const withheld = plan.withheld.length + plan.heldDeletes.length;
  const done = plan.changes.filter((change) => !failed.includes(change));
  const removals = done.filter(({ kind }) => kind === "leave" || kind === "delete").length;
  const parts = [
    `${done.length} changes`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(errors > 0 ? [`${errors} errors in files`] : []),
    ...(withheld > 0 ? [`${withheld} removals withheld`] : []),
  ];
  const outcome = withheld > 0 ? "Withheld" : failed.length > 0 || errors > 0 ? "Partial" : "Applied";
  return {
    commit: plan.commit ?? "",
    time: toTime(context.nowMs),
    ...(context.author === undefined ? {} : { author: context.author.slice(0, longestAuthor) }),
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
