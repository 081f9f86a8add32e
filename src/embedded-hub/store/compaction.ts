import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Store } from "./store.ts";

export interface CompactionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long history is kept at least, unless there is too much of it. Default 5 minutes, as kube-apiserver has it. */
  readonly keepMs?: number;
  /** How many events are kept at most. Default 400,000: more than 1,000 writes a second in five minutes. */
  readonly maximumEvents?: number;
  /** How long their texts may be together. Default 384 MiB: as many events of 1 KiB. */
  readonly maximumBytes?: number;
  /** Default one minute. */
  readonly periodMs?: number | undefined;
}

/** Forgets history that is old, so that memory and disk stay bounded. Returns the function that ends it. */
export function startCompaction(options: CompactionOptions): () => Promise<void> {
  const stop = new AbortController();
  const done = compactUntil(stop.signal, options);
  return async () => {
    stop.abort();
    await done;
  };
}

async function compactUntil(signal: AbortSignal, options: CompactionOptions): Promise<void> {
  const { store, clock, log, keepMs = 300_000, periodMs = 60_000 } = options;
  let marks: { readonly atMs: number; readonly revision: number }[] = [];
  try {
    for (;;) {
      marks.push({ atMs: clock.monotonicMs(), revision: store.revision });
      await clock.sleep(periodMs, signal);
      const old = marks.findLast(({ atMs }) => clock.monotonicMs() - atMs >= keepMs);
      // The store takes writes again as soon as its disk does, and history is to be forgotten then.
      await compactTo(old?.revision ?? 0, options, signal).catch((error: unknown) => {
        if (!signal.aborted) log.error("the hub's history could not be compacted, and will be tried again", { error });
      });
      marks = marks.filter(({ revision }) => revision > store.compactedRevision);
    }
  } catch (error) {
    if (!signal.aborted) log.error("the hub's history is not compacted any more", { error });
  }
}

/** Revisions that are forgotten at once: writes wait for a trip to the disk with that many rows, and run between two of them. */
const stepRevisions = 1000;

async function compactTo(
  revision: number,
  { store, maximumEvents = 400_000, maximumBytes = 384 * 1024 * 1024 }: CompactionOptions,
  signal: AbortSignal,
): Promise<void> {
  const least = (): number => Math.max(revision, store.revision - maximumEvents);
  while (!signal.aborted && store.compactedRevision < store.revision) {
    const isTooLong = store.historyBytes > maximumBytes;
    const until = isTooLong ? store.revision : least();
    if (until <= store.compactedRevision) return;
    await store.compact(Math.min(until, store.compactedRevision + stepRevisions));
  }
}
