import { largestOf } from "../core/extremes.ts";
import { textAt } from "../core/read-json.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** What the daemon before this one watched. */
export interface WatchRecord {
  /** For how long it watched the hub without an interruption. */
  readonly watchedMs: number;
  /** Until when, by the API server's clock. */
  readonly untilMs: number;
}

/** An agent whose renewals show that the hub could be reached. */
export interface Witness {
  /** When its last renewal was written, by the API server's clock. */
  readonly renewedAtMs: number;
  /** For how long it had renewed until then without an interruption, as it reports. */
  readonly heldMs: number;
  readonly periodMs: number;
}

export interface WatchedTimeInputs {
  readonly record: WatchRecord | undefined;
  readonly witnesses: readonly Witness[];
  /** The API server's clock. */
  readonly nowMs: number;
  /** For how long this process has watched the hub without an interruption. */
  readonly ownMs: number;
  /** The longest gap that counts although nothing proves that the hub could be reached: the shortest period of a cluster. */
  readonly bridgeMs: number;
}

/**
 * For how long before now the hub was reachable without interruption, as far as this process, the record of the
 * previous one and the agents prove it. Time in which only the daemon was stopped counts; time in which no client
 * reached the hub does not. See docs/decisions/0035.
 */
export function watchedTimeMs({ record, witnesses, nowMs, ownMs, bridgeMs }: WatchedTimeInputs): number {
  const provenMs = Math.min(longestMs, Math.max(ownMs, coveredMs(witnesses, nowMs, record)));
  const gapMs = record === undefined ? Number.NaN : nowMs - record.untilMs;
  // A record of the future was written by another clock.
  if (record === undefined || !(gapMs >= -clockStepMs) || gapMs - provenMs > bridgeMs) return provenMs;
  return Math.min(longestMs, Math.max(provenMs, record.watchedMs + Math.max(0, gapMs)));
}

/** More than any window; what an agent reports of itself may be any number. */
const longestMs = 30 * 86_400_000;

/** Two clocks that differ by more than this between two reads: one of them was set. */
export const clockStepMs = 3000;

/** `managedFields` have whole seconds. */
const roundingMs = 1000;

/**
 * What the witnesses cover without a gap until now: the lower median, so that a minority proves nothing. One whose next renewal
 * is overdue covers nothing: the hub may have been away since its last one. Those that renewed until the record ended, and do
 * not now, may be the majority: after an outage of the hub the first agent that is back, which may report nonsense, is the only
 * one that covers anything.
 */
function coveredMs(witnesses: readonly Witness[], nowMs: number, record: WatchRecord | undefined): number {
  const usable = witnesses
    .filter(({ heldMs }) => heldMs >= 0)
    .map((witness) => ({ ...witness, ageMs: Math.max(0, nowMs - witness.renewedAtMs) }));
  const isFresh = ({ ageMs, periodMs }: { ageMs: number; periodMs: number }): boolean => ageMs <= periodMs + roundingMs;
  const ceased = usable.filter(
    (one) => !isFresh(one) && one.renewedAtMs >= (record?.untilMs ?? Number.NEGATIVE_INFINITY) - 2 * one.periodMs,
  );
  const covered = usable
    .filter(isFresh)
    .map(({ ageMs, heldMs }) => ageMs + heldMs)
    .sort((a, b) => a - b);
  if (ceased.length > covered.length) return 0;
  return covered[Math.floor((covered.length - 1) / 2)] ?? 0;
}

/** The content of the Lease `rollcall-watch`; undefined when it is none. */
export function readWatchRecord(lease: KubeObject | undefined): WatchRecord | undefined {
  const [sinceMs, untilMs] = ["acquireTime", "renewTime"].map((key) => Date.parse(textAt(lease, "spec", key) ?? ""));
  if (sinceMs === undefined || untilMs === undefined || !(untilMs >= sinceMs)) return undefined;
  return { watchedMs: untilMs - sinceMs, untilMs };
}

/**
 * When a manager that is not ignored wrote the object last, by the API server's clock, in whole seconds; undefined when
 * that is not recorded.
 */
export function writtenAtMs({ metadata }: KubeObject, isIgnored: (manager: string) => boolean): number | undefined {
  const times = (metadata.managedFields ?? [])
    .filter(({ manager = "" }) => !isIgnored(manager))
    .map(({ time }) => Date.parse(time ?? ""))
    .filter((timeMs) => !Number.isNaN(timeMs));
  return times.length === 0 ? undefined : largestOf(times);
}
