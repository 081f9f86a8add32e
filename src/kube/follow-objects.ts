import { isAppError } from "../core/errors.ts";
import { sleepFor } from "../core/timer.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import type { KubeApi, ListOptions } from "./kube.ts";

/** `listed` follows each whole list, also an empty one. */
export type ObjectChange =
  | { readonly kind: "added" | "modified" | "deleted"; readonly object: KubeObject }
  | { readonly kind: "listed" };

/**
 * Every object of a kind, then every change to one, until the caller stops or the signal is aborted. A watch that the
 * server ends, or whose version is too old, begins anew with a list; what did not change meanwhile is not repeated. Any
 * other failure is thrown. For one command, which keeps no cache. `pause`: called after a watch without an event, as of a proxy
 * that ends each at once. Default: waits for a second.
 */
export async function* followObjects(
  api: Pick<KubeApi, "list" | "watch">,
  type: ResourceType,
  query: ListOptions,
  pause: (signal: AbortSignal | undefined) => Promise<void> = waitForSecond,
): AsyncGenerator<ObjectChange> {
  const known = new Map<string, KubeObject>();
  while (query.signal?.aborted !== true) {
    const { items, resourceVersion } = await api.list(type, query);
    const listed = new Set(items.map(keyOf));
    const lost = [...known].filter(([key]) => !listed.has(key));
    for (const [key, object] of lost) {
      known.delete(key);
      yield { kind: "deleted", object };
    }
    for (const object of items) {
      const before = known.get(keyOf(object));
      if (before?.metadata.resourceVersion === object.metadata.resourceVersion && before !== undefined) continue;
      known.set(keyOf(object), object);
      yield { kind: before === undefined ? "added" : "modified", object };
    }
    yield { kind: "listed" };
    let hasEvent = false;
    try {
      for await (const event of api.watch(type, { ...query, resourceVersion })) {
        hasEvent = true;
        if (event.kind === "bookmark") continue;
        if (event.kind === "deleted") known.delete(keyOf(event.object));
        else known.set(keyOf(event.object), event.object);
        yield event;
      }
    } catch (error) {
      if (!isAppError(error, "E_KUBE_GONE")) throw error;
    }
    if (!hasEvent) await pause(query.signal);
  }
}

async function waitForSecond(signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(1000, signal).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}

/** The uid distinguishes an object from a deleted one with the same name. */
function keyOf({ metadata: { namespace = "", name, uid = "" } }: KubeObject): string {
  return `${namespace}/${name}/${uid}`;
}
