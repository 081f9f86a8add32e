import { WorkQueue } from "../../core/work-queue.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { startKubeCache } from "../../kube/kube-cache.ts";
import type { KubeObject, ResourceType } from "../../model/kubernetes.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import { whenAborted } from "../../system/when-aborted.ts";

export interface NewObjectsOptions {
  /** Uids of objects that are no news. */
  readonly known: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called for one object after the other; when it fails it is called again, later each time. */
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
  const seen = new Map<string, KubeObject | undefined>(known.map((uid) => [uid, undefined]));
  const queue = new WorkQueue({
    clock: realClock,
    random: realRandom,
    work: async (uid) => {
      const object = seen.get(uid);
      if (object !== undefined) await onNew(object);
    },
    onError: (_uid, error) => onError(error),
  });
  const present = new Map<string, KubeObject>();
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
        if (before !== undefined && before.metadata.uid !== object?.metadata.uid) onGone(before);
        const { uid } = object?.metadata ?? {};
        if (object === undefined || uid === undefined || seen.has(uid)) return;
        seen.set(uid, object);
        queue.add(uid);
      },
      onError,
    },
    { clock: realClock, random: realRandom, signal },
  );
  await whenAborted(signal);
  await cache.stop();
  await queue.stop();
}
