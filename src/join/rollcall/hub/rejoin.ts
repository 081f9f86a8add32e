import { textAt } from "../../../core/read-json.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import type { HeartbeatState } from "../../../planning/cluster-status-inputs.ts";
import type { RejoinDecision } from "../../join.ts";
import { isIdentityLost } from "./bootstrap.ts";
import {
  agentNamespaceOf,
  heartbeatOf,
  successorKeyOf,
  isGranted,
  isHubInitiated,
  isLeaving,
  isRevoked,
  reportOf,
} from "./member-facts.ts";
import {
  agentHoldOf,
  appliedDigest,
  clockToleranceMs,
  defaultDeadlineSeconds,
  liveOffer,
  memberManifest,
} from "./member-manifest.ts";

/** A cluster whose agent sends nothing is repaired at most once in this time. */
const repairPauseMs = 3600_000;

/**
 * Whether the hub installs the agent of a joined member again, by its kubeconfig and with values to join with. It does
 * so when the file raises redeployGeneration and the agent does not follow by itself; and, at most once an hour, when
 * the agent missed its heartbeats for a second window. A manifest that the agent rolled back is not forced on it.
 */
export function rejoinOf(member: Member, hub: HubFacts, heartbeat: HeartbeatState): RejoinDecision {
  if (!mayBeInstalled(member)) return {};
  return member.state?.rejoin === undefined ? beginning(member, hub, heartbeat) : goingOn(member, hub, heartbeat);
}

function mayBeInstalled(member: Member): boolean {
  const isAwayFromHere = successorKeyOf(member) !== undefined || member.former !== undefined;
  if (!isHubInitiated(member) || !isGranted(member) || member.cluster.spec?.paused === true) return false;
  return !isLeaving(member) && !isRevoked(member) && !isIdentityLost(member) && !isAwayFromHere;
}

function beginning(member: Member, hub: HubFacts, heartbeat: HeartbeatState): RejoinDecision {
  if (textAt(reportOf(member), "spec", "refusedManifestDigest") === memberManifest(member, hub).digest) return {};
  const redeploy = redeployment(member, hub, heartbeat);
  if (redeploy.reason !== undefined) return redeploy;
  const { install, join, rejoinAt } = member.state ?? {};
  // An installation is not recorded when the daemon ended meanwhile, or the hub was restored from git: it was one all the same.
  const installedAt = install?.time ?? (join?.initiated === "hub" ? join.time : undefined);
  if (heartbeat.kind !== "unresponsive" || installedAt === undefined) return redeploy;
  const secondWindowMs = hub.nowMs - heartbeat.forMs + 2000 * heartbeatOf(member).windowSeconds;
  const lastMs = Math.max(pastMs(installedAt, hub), pastMs(rejoinAt, hub));
  const dueMs = Math.max(secondWindowMs, lastMs + repairPauseMs);
  return hub.nowMs >= dueMs ? { reason: "AgentLost" } : { changesAtMs: dueMs };
}

/** An agent that lives has the time of a rollout to follow by itself: so it can go back when the new one does not come up. */
function redeployment(member: Member, hub: HubFacts, heartbeat: HeartbeatState): RejoinDecision {
  const wanted = memberManifest(member, hub);
  const generation = member.cluster.spec?.agent?.redeployGeneration ?? 0;
  const isRaised = (member.state?.install?.redeployGeneration ?? 0) !== generation;
  const live = liveOffer(member);
  const isOffered = live?.digest === wanted.digest;
  const hold = isOffered ? undefined : agentHoldOf(member, hub);
  const isHeld = hold !== undefined && hold.reason !== "AgentSilent";
  if (!isRaised || isHeld || appliedDigest(member) === wanted.digest) return {};
  const livesElsewhere = textAt(reportOf(member), "spec", "agentNamespace") !== agentNamespaceOf(member);
  if (heartbeat.kind === "unresponsive" || livesElsewhere) return { reason: "Redeploy" };
  if (!isOffered) return {};
  const dueMs = timeMs(live.offeredAt) + (hub.agentDeadlineSeconds ?? defaultDeadlineSeconds) * 1000;
  return hub.nowMs >= dueMs ? { reason: "Redeploy" } : { changesAtMs: dueMs };
}

/** It ends when the agent sends heartbeats again, or what it was to join by has ended; another try is another decision. */
function goingOn(member: Member, hub: HubFacts, heartbeat: HeartbeatState): RejoinDecision {
  const { rejoin: reason, rejoinAt, bootstrap, install } = member.state ?? {};
  if (reason === undefined) return {};
  if (bootstrap === undefined || timeMs(bootstrap.issuedAt) < pastMs(rejoinAt, hub)) return { reason };
  const endMs = timeMs(bootstrap.expiresAt);
  if (hub.nowMs >= endMs) return {};
  const isInstalled = install?.bootstrap === bootstrap.number;
  const isFollowed = reason === "AgentLost" || appliedDigest(member) === memberManifest(member, hub).digest;
  return isInstalled && heartbeat.kind === "alive" && isFollowed ? {} : { reason, changesAtMs: endMs };
}

/** 0 for none, and for a time that this clock has not reached: it would hold up for as long as the clock was set back. */
function pastMs(time: string | undefined, { nowMs }: HubFacts): number {
  const ms = timeMs(time);
  return ms > nowMs + clockToleranceMs ? 0 : ms;
}

/** 0 for none. */
function timeMs(time: string | undefined): number {
  return Date.parse(time ?? "") || 0;
}
