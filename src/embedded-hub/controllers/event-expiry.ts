import { largestOf } from "../../core/extremes.ts";
import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";

/** As kube-apiserver's --event-ttl. */
const lifetimeMs = 3600_000;

/** Deletes Events an hour after they were last written. One timer for all; none while there are no Events. */
export function startEventExpiry(scope: ControllerScope): Controller {
  const { clock, log } = scope;
  const writer = hubWriter(scope.operations, "event-expiry");
  const stop = new AbortController();
  /** Monotonic times by key, in the order of their ends: each write moves its event to the back. */
  const endsAtMs = new Map<string, number>();
  let running: Promise<void> | undefined;

  const expire = async (): Promise<void> => {
    for (;;) {
      const [next] = endsAtMs;
      if (next === undefined || stop.signal.aborted) return;
      const [key, atMs] = next;
      const waitMs = atMs - clock.monotonicMs();
      if (waitMs > 0) {
        await clock.sleep(waitMs, stop.signal);
        continue;
      }
      endsAtMs.delete(key);
      const event = writer.get("", "events", splitQueueKey(key));
      if (event !== undefined) await writer.remove(event);
    }
  };

  const start = () => {
    running ??= expire()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn("expired events could not be deleted", { error });
      })
      .finally(() => {
        running = undefined;
        // One may have come after the loop saw none.
        if (endsAtMs.size > 0 && !stop.signal.aborted) start();
      });
  };

  scope.feed.on("", "events", ({ kind, object }) => {
    const key = queueKeyOf(object);
    endsAtMs.delete(key);
    if (kind === "deleted") return;
    // Part of the lifetime of an older one has passed before this start; a change of the clock since shortens none.
    const ageMs = kind === "modified" ? 0 : Math.max(0, clock.nowMs() - writtenAtMs(object));
    endsAtMs.set(key, clock.monotonicMs() + lifetimeMs - ageMs);
    start();
  });
  return {
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

/** The time of the event's last write, if it has one. */
function writtenAtMs(event: KubeObject): number {
  const times = [event.metadata.creationTimestamp, textAt(event, "lastTimestamp"), textAt(event, "eventTime")];
  return largestOf(
    times.map((time) => Date.parse(time ?? "") || 0),
    0,
  );
}
