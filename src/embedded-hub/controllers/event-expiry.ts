import { largestOf } from "../../core/extremes.ts";
import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import { controllerQueue, queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";

/** As kube-apiserver's --event-ttl. */
const lifetimeMs = 3600_000;

/** Of a namespace. kube-apiserver bounds their rate instead, where its admission plugin EventRateLimit is turned on. */
const mostEvents = 10_000;

/**
 * Deletes Events an hour after they were last written, and of a namespace with more than `most` those that were written
 * first. One timer for all; none while there are no Events.
 */
export function startEventExpiry(scope: ControllerScope, most = mostEvents): Controller {
  const { clock, log } = scope;
  const writer = hubWriter(scope.operations, "event-expiry");
  const remove = async (key: string): Promise<void> => {
    const event = writer.get("", "events", splitQueueKey(key));
    if (event !== undefined) await endEvent(writer, event);
  };
  const excess = controllerQueue({ scope, name: "event-expiry", concurrency: 8, work: remove });
  /** Those whose time was over while the store took no writes. One that was written again has a new time. */
  const late = controllerQueue({
    scope,
    name: "late-events",
    work: async (key) => (endsAtMs.has(key) ? undefined : remove(key)),
  });
  const counted = new CountedEvents(most, (key) => excess.add(key));
  const stop = new AbortController();
  /** Monotonic times by key, in the order of their ends: each write moves its event to the back. */
  const endsAtMs = new Map<string, number>();
  let running: Promise<void> | undefined;

  const expire = async (): Promise<void> => {
    // Those that an earlier hub left all come in this turn, by name.
    await Promise.resolve();
    for (const [key, atMs] of [...endsAtMs].sort(([, a], [, b]) => a - b)) {
      endsAtMs.delete(key);
      endsAtMs.set(key, atMs);
      if (counted.has(key)) counted.note(key, true);
    }
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
      await remove(key).catch((error: unknown) => {
        log.warn("an expired event could not be deleted, and will be tried again", { event: key, error });
        late.add(key);
      });
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
    counted.note(key, kind !== "deleted" && object.metadata.deletionTimestamp === undefined);
    if (kind === "deleted") return;
    // Part of the lifetime of an older one has passed before this start; a change of the clock since shortens none.
    const ageMs = kind === "modified" ? 0 : Math.max(0, clock.nowMs() - writtenAtMs(object));
    endsAtMs.set(key, clock.monotonicMs() + lifetimeMs - ageMs);
    start();
  });
  return {
    stop: async () => {
      stop.abort();
      await Promise.all([excess.stop(), late.stop()]);
      await running;
    },
  };
}

/** Events by namespace, in the order of their last writes. A class for its history. */
class CountedEvents {
  readonly #most: number;
  readonly #onExcess: (key: string) => void;
  readonly #namespaces = new Map<string, Set<string>>();

  constructor(most: number, onExcess: (key: string) => void) {
    this.#most = most;
    this.#onExcess = onExcess;
  }

  has(key: string): boolean {
    return this.#namespaces.get(splitQueueKey(key).namespace)?.has(key) === true;
  }

  note(key: string, isThere: boolean): void {
    const { namespace } = splitQueueKey(key);
    const keys = this.#namespaces.get(namespace) ?? new Set();
    keys.delete(key);
    if (isThere) keys.add(key);
    if (keys.size === 0) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, keys);
    const [first] = keys;
    if (keys.size <= this.#most || first === undefined) return;
    keys.delete(first);
    this.#onExcess(first);
  }
}

/** The store of kube-apiserver lets an Event end whatever finalizers it has: who makes Events must not keep them. */
async function endEvent(writer: HubWriter, event: KubeObject): Promise<void> {
  await writer.remove(event);
  if (event.metadata.finalizers === undefined) return;
  try {
    await writer.patch(event, { kind: "merge", patch: { metadata: { finalizers: null } } });
  } catch (error) {
    if (!isApiFailure(error, "NotFound")) throw error;
  }
}

/** The time of the event's last write, if it has one. */
function writtenAtMs(event: KubeObject): number {
  const times = [event.metadata.creationTimestamp, textAt(event, "lastTimestamp"), textAt(event, "eventTime")];
  return largestOf(
    times.map((time) => Date.parse(time ?? "") || 0),
    0,
  );
}
