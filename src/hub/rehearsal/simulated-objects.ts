import type { KubeCacheOptions } from "../../kube/kube.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../model/kubernetes.ts";
import { describeRef, refOf } from "../../model/kubernetes.ts";
import { resourceTypeOf } from "../../model/resource-types.ts";

/** Which objects a list or a cache has. */
export interface Selection extends Omit<KubeCacheOptions, "onChange"> {
  readonly type: ResourceType;
}

/** Objects by name, and the names of each kind. */
export interface SimulatedObjects {
  /** Of these objects alone. */
  get(ref: ObjectRef): KubeObject | undefined;
  /** Of these, or of those of `base`; nothing once it was removed. */
  read(ref: ObjectRef): KubeObject | undefined;
  set(ref: ObjectRef, object: KubeObject): void;
  remove(ref: ObjectRef): void;
  /** In the order in which they came. */
  list(selection: Selection): KubeObject[];
  types(): Iterable<ResourceType>;
}

/** `base`: what exists under a name that is not among the objects. */
export function createSimulatedObjects(
  objects: Iterable<KubeObject>,
  base: (ref: ObjectRef) => KubeObject | undefined,
): SimulatedObjects {
  const held = new Map<string, KubeObject>();
  const removed = new Set<string>();
  const byType = new Map<ResourceType, Set<string>>();

  const keysOf = (type: ResourceType): Set<string> => {
    const known = byType.get(type) ?? new Set<string>();
    byType.set(type, known);
    return known;
  };
  const set = (ref: ObjectRef, object: KubeObject): void => {
    const key = describeRef(ref);
    held.set(key, object);
    keysOf(ref.type).add(key);
  };

  for (const object of objects) {
    const type = resourceTypeOf(object);
    if (type !== undefined) set(refOf(type, object), object);
  }

  return {
    get: (ref) => held.get(describeRef(ref)),
    read: (ref) => {
      const key = describeRef(ref);
      return held.get(key) ?? (removed.has(key) ? undefined : base(ref));
    },
    set,
    remove: (ref) => {
      const key = describeRef(ref);
      held.delete(key);
      removed.add(key);
      keysOf(ref.type).delete(key);
    },
    list: (selection) =>
      [...keysOf(selection.type)]
        .flatMap((key) => held.get(key) ?? [])
        .filter((object) => isSelected(selection, refOf(selection.type, object), object)),
    types: () => byType.keys(),
  };
}

export function isSelected(
  { type, namespace, labelSelector = "" }: Selection,
  ref: ObjectRef,
  object: KubeObject,
): boolean {
  if (ref.type !== type || (namespace !== undefined && ref.namespace !== namespace)) return false;
  if (labelSelector === "") return true;
  const [key = "", value] = labelSelector.split("=");
  const label = object.metadata.labels?.[key];
  return value === undefined ? label !== undefined : label === value;
}
