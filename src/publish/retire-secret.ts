import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { annotationKeys, fieldManagers, isReservedLabelKey } from "../model/well-known.ts";
import { toTime } from "../planning/conditions.ts";
import type { UsersOf } from "./secret-users.ts";
import { isArgoSecret } from "./secret-users.ts";

/** How published Secrets are removed. */
export interface RemovalRules {
  /** How long a Secret waits at most for what uses it. */
  readonly timeoutMs: number;
  /** Labels of the file are taken from an Argo CD Secret first, so that ApplicationSets select it no more. */
  readonly unselects: boolean;
}

/** A Secret that is to be removed and is still there. */
export interface Retirement {
  readonly ref: ObjectRef;
  /** What uses it; undefined when that may not be read. */
  readonly users: readonly string[] | undefined;
  /** Epoch milliseconds: when it is removed at the latest. */
  readonly deadlineMs: number;
}

/** A Secret that is removed although something uses it, or may use it. */
export interface ForcedRemoval extends Pick<Retirement, "ref" | "users"> {
  readonly object: KubeObject;
}

export interface RetireContext {
  readonly hubApi: KubeApi;
  readonly usersOf: UsersOf;
  readonly removal: RemovalRules;
  readonly nowMs: () => number;
  readonly onForced?: (removal: ForcedRemoval) => void;
}

/** Between two checks of what still uses a Secret: 15 s with the usual timeout. */
export function requeueAfterMs({ timeoutMs }: RemovalRules): number {
  return Math.min(15_000, Math.max(1000, timeoutMs / 60));
}

/**
 * Removes a published Secret when nothing uses it any more: an Application of Argo CD that loses its Secret leaves its
 * workloads behind, and a Kustomization that prunes waits for ever. After the timeout, or at once with `isForced`, it is
 * removed in spite of that. Resolves with what is still waited for, undefined when the Secret is removed. May be repeated.
 */
export async function retireSecret(
  context: RetireContext,
  { ref, object, isForced }: { readonly ref: ObjectRef; readonly object: KubeObject; readonly isForced: boolean },
  signal: AbortSignal,
): Promise<Retirement | undefined> {
  const { hubApi, removal, usersOf } = context;
  const nowMs = context.nowMs();
  const sinceMs = Date.parse(object.metadata.annotations?.[annotationKeys.removingSince] ?? "");
  // A time of the future is one of a clock that was wrong.
  const isKnown = sinceMs <= nowMs;
  const live = isKnown ? object : await markRemoving(context, { ref, object, nowMs }, signal);
  const deadlineMs = (isKnown ? sinceMs : nowMs) + removal.timeoutMs;
  // A list from before the mark may lack what began to use the Secret meanwhile.
  const users = await usersOf(live, { isFresh: !isKnown, signal });
  const isUsed = users === undefined || users.length > 0;
  if (isUsed && !isForced && nowMs < deadlineMs) return { ref, users, deadlineMs };
  if (isUsed) context.onForced?.({ ref, object, users });
  const { uid = "", resourceVersion = "" } = live.metadata;
  await hubApi.delete(ref, { uid, resourceVersion, signal });
  return undefined;
}

/** Takes the mark away from a Secret that is wanted again. */
export async function keepSecret(
  { hubApi }: Pick<RetireContext, "hubApi">,
  { ref, object }: { readonly ref: ObjectRef; readonly object: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  if (object.metadata.annotations?.[annotationKeys.removingSince] === undefined) return;
  const { uid = "" } = object.metadata;
  const patch = { metadata: { uid, annotations: { [annotationKeys.removingSince]: null } } };
  await hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.hub, signal });
}

function markRemoving(
  { hubApi, removal }: RetireContext,
  { ref, object, nowMs }: { readonly ref: ObjectRef; readonly object: KubeObject; readonly nowMs: number },
  signal: AbortSignal,
): Promise<KubeObject> {
  const { uid = "", resourceVersion = "" } = object.metadata;
  const labels = removal.unselects && isArgoSecret(object) ? { labels: withoutOwn(object) } : {};
  const annotations = { [annotationKeys.removingSince]: toTime(nowMs) };
  const patch = { metadata: { uid, resourceVersion, annotations, ...labels } };
  return hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.hub, signal });
}

/** A patch that takes away the labels that the file gave it: generators of ApplicationSets select by them. */
function withoutOwn({ metadata }: KubeObject): Record<string, null> {
  const own = Object.keys(metadata.labels ?? {}).filter(
    (key) => !isReservedLabelKey(key) && !key.startsWith("argocd.argoproj.io/"),
  );
  return Object.fromEntries(own.map((key) => [key, null]));
}
