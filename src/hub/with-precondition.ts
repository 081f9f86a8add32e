import { isAppError } from "../core/errors.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { withUidOf } from "../model/kubernetes.ts";
import { onlyNew } from "../model/as-found.ts";

/** What a writer knows of the objects of the hub. */
export interface KnownObjects {
  get(ref: ObjectRef): KubeObject | undefined;
  /** True where every object of this kind is watched: one that is not known was not there a moment ago. */
  listsAll(ref: ObjectRef): boolean;
}

/**
 * The body of an apply that depends on what is known. It changes the very object that is known, or only creates one if none
 * is: one that another program created a moment ago, before a watch brought it, is not taken over. If that does not hold on
 * the hub, the apply fails with E_KUBE_CONFLICT. Where not all objects are watched, it may also change an unknown one.
 */
export function withPrecondition(known: KnownObjects, ref: ObjectRef, object: KubeObject): KubeObject {
  const live = known.get(ref);
  if (live !== undefined || !known.listsAll(ref) || object.metadata.resourceVersion !== undefined)
    return withUidOf(live, object);
  return onlyNew(object);
}

export interface FailedApply {
  readonly ref: ObjectRef;
  /** Whether the object was known before the apply. */
  readonly wasKnown: boolean;
  readonly error: unknown;
}

/** The object that another writer has created since it was unknown; undefined where an apply failed for another reason. */
export async function createdMeanwhile(
  { known, hubApi, signal }: { readonly known: KnownObjects; readonly hubApi: KubeApi; readonly signal?: AbortSignal },
  { ref, wasKnown, error }: FailedApply,
): Promise<KubeObject | undefined> {
  if (wasKnown || !isAppError(error, "E_KUBE_CONFLICT")) return undefined;
  return known.get(ref) ?? hubApi.get(ref, signal ? { signal } : {});
}
