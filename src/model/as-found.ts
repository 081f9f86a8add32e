import type { KubeObject } from "./kubernetes.ts";
import { withUidOf } from "./kubernetes.ts";

/**
 * A version that no object has: the first write to etcd has the revision 2, and on the embedded hub it is that of the namespace
 * `default`, which is not written. An API server compares the version of an applied object with that of the object that exists,
 * and compares nothing where it creates one.
 */
const noVersion = "1";

/** The body of an apply that only creates the object: where one has the name, the apply fails with E_KUBE_CONFLICT. */
export function onlyNew(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: noVersion } };
}

/** The body of an apply that changes the very object that was found, or only creates it: else it fails with E_KUBE_CONFLICT. */
export function asFound(object: KubeObject, live: KubeObject | undefined): KubeObject {
  return live === undefined ? onlyNew(object) : withUidOf(live, object);
}
