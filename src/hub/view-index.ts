import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import type { HubView } from "./hub-view.ts";

/** What an index reads of a view. */
export type IndexedView = Pick<HubView, "list" | "subscribe">;

export interface ViewIndex<V extends IndexedView = HubView> {
  /** Objects of a view with a key. */
  (view: V, key: string): readonly KubeObject[];
  /** How many they are; this visits none of them. */
  count(view: V, key: string): number;
  /** The keys that objects have; this visits none of them. */
  keys(view: V): Iterable<string>;
}

/**
 * An index over the objects of one kind. The first question about a view reads all of them; afterwards the view's changes
 * keep it current. `keysOf` is called once for each version of an object, while the view shows that version.
 */
export function viewIndex<V extends IndexedView = HubView>(
  type: ResourceType,
  keysOf: (object: KubeObject, view: V) => readonly string[],
): ViewIndex<V> {
  const indexes = new WeakMap<V, ReadonlyMap<string, ReadonlySet<KubeObject>>>();
  const indexOf = (view: V): ReadonlyMap<string, ReadonlySet<KubeObject>> => {
    const known = indexes.get(view) ?? startIndex(view, type, keysOf);
    indexes.set(view, known);
    return known;
  };
  return Object.assign((view: V, key: string) => [...(indexOf(view).get(key) ?? [])], {
    count: (view: V, key: string) => indexOf(view).get(key)?.size ?? 0,
    keys: (view: V) => indexOf(view).keys(),
  });
}

function startIndex<V extends IndexedView>(
  view: V,
  type: ResourceType,
  keysOf: (object: KubeObject, view: V) => readonly string[],
): ReadonlyMap<string, ReadonlySet<KubeObject>> {
  const byKey = new Map<string, Set<KubeObject>>();
  const keysByObject = new WeakMap<KubeObject, readonly string[]>();
  const add = (object: KubeObject): void => {
    const keys = keysOf(object, view);
    keysByObject.set(object, keys);
    for (const key of keys) byKey.set(key, (byKey.get(key) ?? new Set()).add(object));
  };
  const remove = (object: KubeObject): void => {
    for (const key of keysByObject.get(object) ?? []) {
      byKey.get(key)?.delete(object);
      if (byKey.get(key)?.size === 0) byKey.delete(key);
    }
  };
  for (const object of view.list(type)) add(object);
  view.subscribe(({ ref, object, before }) => {
    if (ref.type !== type) return;
    if (before !== undefined) remove(before);
    if (object !== undefined) add(object);
  });
  return byKey;
}
