import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { isSameVersion } from "../model/kubernetes.ts";

/** The objects of one kind by namespace and name. */
export interface KubeStore {
  get(namespace: string | undefined, name: string): KubeObject | undefined;
  /** Of one namespace, or all. The same array until something changes. */
  list(namespace?: string): readonly KubeObject[];
  /** True when this changed the store. */
  put(object: KubeObject): boolean;
  /** True when there was such an object. */
  remove(object: KubeObject): boolean;
  /** Puts `objects` in the place of everything; what changed by that. */
  replace(objects: readonly KubeObject[]): { readonly removed: KubeObject[]; readonly put: KubeObject[] };
}

export function createKubeStore(type: ResourceType): KubeStore {
  const byNamespace = new Map<string, Map<string, KubeObject>>();
  const listed = new Map<string, readonly KubeObject[]>();
  let listedAll: readonly KubeObject[] | undefined;
  const keyOf = (namespace: string | undefined) => (type.isNamespaced ? (namespace ?? "") : "");
  const find = (object: KubeObject) => byNamespace.get(keyOf(object.metadata.namespace))?.get(object.metadata.name);
  const forget = (key: string) => {
    listed.delete(key);
    listedAll = undefined;
  };

  const put = (object: KubeObject): boolean => {
    if (isSameVersion(find(object), object)) return false;
    const key = keyOf(object.metadata.namespace);
    const objects = byNamespace.get(key) ?? new Map<string, KubeObject>();
    byNamespace.set(key, objects.set(object.metadata.name, object));
    forget(key);
    return true;
  };
  const remove = (object: KubeObject): boolean => {
    const key = keyOf(object.metadata.namespace);
    const objects = byNamespace.get(key);
    if (objects?.delete(object.metadata.name) !== true) return false;
    if (objects.size === 0) byNamespace.delete(key);
    forget(key);
    return true;
  };
  const list = (namespace?: string): readonly KubeObject[] => {
    if (namespace === undefined || !type.isNamespaced) {
      listedAll ??= [...byNamespace.values()].flatMap((objects) => [...objects.values()]);
      return listedAll;
    }
    const inNamespace = byNamespace.get(namespace);
    if (inNamespace === undefined) return [];
    const objects = listed.get(namespace) ?? [...inNamespace.values()];
    listed.set(namespace, objects);
    return objects;
  };

  return {
    get: (namespace, name) => byNamespace.get(keyOf(namespace))?.get(name),
    list,
    put,
    remove,
    replace(objects) {
      const kept = new Set(objects.map((object) => `${keyOf(object.metadata.namespace)}/${object.metadata.name}`));
      const isKept = ({ metadata }: KubeObject) => kept.has(`${keyOf(metadata.namespace)}/${metadata.name}`);
      return {
        removed: list().filter((object) => !isKept(object) && remove(object)),
        put: objects.filter((object) => put(object)),
      };
    },
  };
}
