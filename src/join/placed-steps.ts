import type { KubeObject } from "../model/kubernetes.ts";
import type { HubFacts, Member } from "../model/member.ts";
import { graceEndMs, isPlacedRemoved } from "../planning/cluster-settings.ts";
import type { OffboardingStep } from "./join.ts";
import { isRevoked, refOfChild } from "./member-state.ts";

/** An agent that does not remove what was placed is waited for at most this long. */
const placedRemovalMs = 15 * 60_000;

export interface PlacedObjects {
  /** An agent has reported: one that never did has applied nothing. */
  readonly hasAgent: boolean;
  readonly objects: readonly KubeObject[];
  readonly isReleased: boolean;
  readonly heartbeatMarker?: string;
  /** Whether the agent has removed what it applied, when no object is left. `sinceMs`: when they were deleted (epoch ms). */
  readonly hasRemoved: (sinceMs: number, heartbeatMarkerThen: string | undefined) => boolean;
}

/**
 * The first step of an offboarding whose file asks for it. None for a revoked member: its agent is refused, so it sees no
 * deletion.
 */
export function removePlacedSteps(
  member: Member,
  { nowMs }: Pick<HubFacts, "nowMs">,
  { hasAgent, objects, isReleased, heartbeatMarker, hasRemoved }: PlacedObjects,
): OffboardingStep[] {
  const { placed, since = "" } = member.state?.leave ?? {};
  if (!isPlacedRemoved(member.cluster) || isRevoked(member) || placed?.overAt !== undefined) return [];
  if (placed === undefined && (objects.length === 0 || !hasAgent)) return [];
  const deletedMs = placed === undefined ? nowMs : Date.parse(placed.since);
  const beganMs = Number.isNaN(deletedMs) ? graceEndMs(member.cluster, since) : deletedMs;
  return [
    {
      kind: "remove-placed",
      refs: objects.flatMap(refOfChild),
      isReleased,
      ...(heartbeatMarker === undefined ? {} : { heartbeatMarker }),
      isDone: placed !== undefined && objects.length === 0 && hasRemoved(beganMs, placed.heartbeatMarker),
      untilMs: beganMs + placedRemovalMs,
    },
  ];
}
