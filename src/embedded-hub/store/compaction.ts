import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Store } from "./store.ts";

export interface CompactionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long history is kept at least, unless there is too much of it. Default 5 minutes, as kube-apiserver has it. */
  readonly keepMs?: number;
  /** How many events are kept at most. Default 20,000. */
  readonly maximumEvents?: number;
  /** Default one minute. */
  readonly periodMs?: number;
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
  const { store, clock, log, keepMs = 300_000, maximumEvents = 20_000, periodMs = 60_000 } = options;
  let marks: { readonly atMs: number; readonly revision: number }[] = [];
  try {
    for (;;) {
      marks.push({ atMs: clock.monotonicMs(), revision: store.revision });
      await clock.sleep(periodMs, signal);
      const old = marks.findLast(({ atMs }) => clock.monotonicMs() - atMs >= keepMs);
      const oldest = Math.max(old?.revision ?? 0, store.revision - maximumEvents);
      marks = marks.filter(({ revision }) => revision > oldest);
      if (oldest > store.compactedRevision) await store.compact(oldest);
    }
  } catch (error) {
    // Stopped; or the store broke down, which its writers are told of.
    if (!signal.aborted) log.error("the hub's history is not compacted any more", { error });
  }
}
