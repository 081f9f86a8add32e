import { WorkQueue } from "../../core/work-queue.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { startKubeCache } from "../../kube/kube-cache.ts";
import type { KubeObject, ResourceType } from "../../model/kubernetes.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import { whenAborted } from "../../system/when-aborted.ts";

export interface NewObjectsOptions {
  /** Objects that are no news. */
  readonly known: readonly KubeObject[];
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called for one object after the other; when it fails it is called again, later each time, while the object is there. */
  readonly onNew: (object: KubeObject) => Promise<void>;
  /** Called when an object was deleted, of those that were known too. */
  readonly onGone: (object: KubeObject) => void;
  /** A watch, or a call of `onNew`, failed; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Follows the objects of one kind; each new one is reported once. Resolves when the signal ends it. */
export async function followNewObjects(
  hubApi: KubeApi,
  type: ResourceType,
  { known, signal, onNew, onGone, onError }: NewObjectsOptions,
): Promise<void> {
  /** Uids; one that was deleted never comes back. */
  const seen = new Set(known.flatMap(({ metadata: { uid } }) => uid ?? []));
  /** By namespace and name, as each is now. */
  const present = new Map<string, KubeObject>();
  const queue = new WorkQueue({
    clock: realClock,
    random: realRandom,
    work: async (key) => {
      const [uid, place = ""] = key.split(" ");
      const object = present.get(place);
      if (object !== undefined && object.metadata.uid === uid) await onNew(object);
    },
    onError: (_key, error) => onError(error),
  });
  const cache = startKubeCache(
    hubApi,
    type,
    {
      keepManagedFields: false,
      onChange: ({ ref, object }) => {
        const place = `${ref.namespace ?? ""}/${ref.name}`;
        const before = present.get(place);
        if (object === undefined) present.delete(place);
        else present.set(place, object);
        const { uid } = object?.metadata ?? {};
        if (before !== undefined && before.metadata.uid !== uid) {
          seen.delete(before.metadata.uid ?? "");
          onGone(before);
        }
        if (uid === undefined || seen.has(uid)) return;
        seen.add(uid);
        queue.add(`${uid} ${place}`);
      },
      onError,
    },
    { clock: realClock, random: realRandom, signal },
  );
  // Those that were deleted before the first list were in no list, and no change reports them.
  const listed = cache.whenSynced(signal).then(
    () => {
      const there = new Set(cache.list().map(({ metadata: { uid } }) => uid));
      known.filter(({ metadata: { uid } }) => !there.has(uid)).forEach(onGone);
    },
    () => undefined, // stopped before
  );
  await whenAborted(signal);
  await listed;
  await cache.stop();
  await queue.stop();
}
