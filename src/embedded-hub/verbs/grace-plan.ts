import type { KubeObject } from "../../model/kubernetes.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";

export type GracePlan =
  /** The kind has no grace period, or it is over. */
  | { readonly kind: "none" }
  /** A delete is under way and this one does not shorten it. */
  | { readonly kind: "pending" }
  | { readonly kind: "graceful"; readonly seconds: number; readonly deletionTimestamp: string };

/** How long the deletion of an object may take. Source: k8s.io/apiserver, registry/rest BeforeDelete. */
export function gracePlan(request: {
  readonly definition: ResourceDefinition;
  readonly live: KubeObject;
  readonly asked: number | undefined;
  readonly nowMs: number;
}): GracePlan {
  const { definition, live, nowMs } = request;
  if (definition.hooks.gracePeriodSeconds === undefined) return { kind: "none" };
  const asked = request.asked !== undefined && request.asked < 0 ? 1 : request.asked;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  if (deletionTimestamp === undefined) {
    const seconds = definition.hooks.gracePeriodSeconds(live, asked);
    return { kind: "graceful", seconds, deletionTimestamp: formatTime(nowMs + seconds * 1000) };
  }
  if (deletionGracePeriodSeconds === 0) return { kind: "none" };
  if (asked === undefined || asked >= deletionGracePeriodSeconds) return { kind: "pending" };
  const atMs = Date.parse(deletionTimestamp) + (asked - deletionGracePeriodSeconds) * 1000;
  if (atMs >= nowMs) return { kind: "graceful", seconds: asked, deletionTimestamp: formatTime(atMs) };
  // The shorter period is over already; another client still finishes it, unless it was to be none at all.
  return { kind: "graceful", seconds: asked === 0 ? 0 : 1, deletionTimestamp: formatTime(nowMs) };
}
