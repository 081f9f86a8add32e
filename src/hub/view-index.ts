import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import type { HubView } from "./hub-view.ts";

/** Objects of a view with a key. */
export type ViewIndex = (view: HubView, key: string) => readonly KubeObject[];

/**
 * An index over the objects of one kind. The first question about a view reads all of them; afterwards the view's changes
 * keep it current. `keysOf` is called once for each version of an object, while the view shows that version.
 */
export function viewIndex(
  type: ResourceType,
  keysOf: (object: KubeObject, view: HubView) => readonly string[],
): ViewIndex {
  const indexes = new WeakMap<HubView, ReadonlyMap<string, ReadonlySet<KubeObject>>>();
  return (view, key) => {
    const known = indexes.get(view) ?? startIndex(view, type, keysOf);
    indexes.set(view, known);
    return [...(known.get(key) ?? [])];
  };
}

function startIndex(
  view: HubView,
  type: ResourceType,
  keysOf: (object: KubeObject, view: HubView) => readonly string[],
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
