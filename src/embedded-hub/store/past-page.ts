import type { EventLog } from "./event-log.ts";
import type { SortedKeys } from "./sorted-keys.ts";
import type { StoredRecord } from "./stored-record.ts";
import type { StoreList, StoreListOptions } from "./store.ts";

/** The keys among which objects of the past are. */
export interface PastKeys {
  /** Of objects that exist now. */
  readonly live: SortedKeys;
  /** Of objects that were deleted after the compacted revision. */
  readonly deleted: SortedKeys;
  /** The object of a key at a revision; undefined when there was none. */
  readonly readAt: (key: string, revision: number) => StoredRecord | undefined;
}

/** A list as it was at a revision. It visits the keys of its page and the next one, and the others only to count them. */
export function readPastPage(
  { live, deleted, readAt }: PastKeys,
  prefix: string,
  options: StoreListOptions & { readonly atRevision: number },
): StoreList {
  const { atRevision, limit = Infinity, continueAfter, countsRemaining = true } = options;
  const items: StoredRecord[] = [];
  let remainingCount = 0;
  for (const key of mergedKeys(rangeOf(live, prefix, continueAfter), rangeOf(deleted, prefix, continueAfter))) {
    const record = readAt(key, atRevision);
    if (record === undefined) continue;
    if (items.length < limit) items.push(record);
    else remainingCount += 1;
    if (remainingCount > 0 && !countsRemaining) break;
  }
  const last = items.at(-1);
  return {
    items,
    revision: atRevision,
    remainingCount,
    ...(remainingCount > 0 && last !== undefined ? { continueAfter: last.key } : {}),
  };
}

/** The record of a key at a revision that is not compacted; `live` is its record now. */
export function recordAt(
  log: EventLog,
  key: string,
  { live, revision }: { readonly live: StoredRecord | undefined; readonly revision: number },
): StoredRecord | undefined {
  let event = log.newestOf(key, live);
  if (event === undefined) return live;
  for (; event !== undefined; event = log.before(event)) {
    if (event.revision <= revision) return event.kind === "put" ? event.current : undefined;
    if (event.previous !== undefined && event.previous.modRevision <= revision) return event.previous;
  }
  return undefined;
}

interface Range {
  readonly keys: SortedKeys;
  readonly from: number;
  readonly to: number;
}

function rangeOf(keys: SortedKeys, prefix: string, after: string | undefined): Range {
  const { from, to } = keys.rangeBelow(prefix);
  return { keys, from: after === undefined ? from : Math.max(from, keys.firstAfter(after)), to };
}

/** The keys of both, in order; no key is in both. */
function* mergedKeys(one: Range, other: Range): Iterable<string> {
  let [oneIndex, otherIndex] = [one.from, other.from];
  while (oneIndex < one.to || otherIndex < other.to) {
    const oneKey = oneIndex < one.to ? one.keys.at(oneIndex) : undefined;
    const otherKey = otherIndex < other.to ? other.keys.at(otherIndex) : undefined;
    if (otherKey === undefined || (oneKey !== undefined && oneKey < otherKey)) {
      oneIndex += 1;
      if (oneKey !== undefined) yield oneKey;
    } else {
      otherIndex += 1;
      yield otherKey;
    }
  }
}
