import type { JsonObject } from "../../../core/json.ts";
import { isJsonEqual } from "../../../core/json.ts";
import { objectAt, textAt } from "../../../core/read-json.ts";
import { fleetSystemNamespace } from "../../../model/dialects/fleet.ts";
import type { ClusterStatus } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { MemberFacts, StatusWrite } from "../../join.ts";
import { displayOf, summarizeBundles } from "./bundle-states.ts";
import { fleetConditions } from "./cluster-conditions.ts";
import { childByRef, isRevoked, revokedCredentials } from "../../member-state.ts";
import {
  answerRef,
  heartbeatIn,
  bundleDeploymentsOf,
  fleetClusterOf,
  grantOf,
  hasPreviousGrant,
  homeNamespaceOf,
  registrationOf,
} from "./member-facts.ts";

/** The agent reports nothing in Fleet's Cluster but that it is alive: whatever else has changed since may be to revert. */
export function isOnlyFleetHeartbeat(before: KubeObject | undefined, object: KubeObject | undefined): boolean {
  if (before === undefined || object === undefined) return false;
  if (before.metadata.generation !== object.metadata.generation) return false;
  if (!isJsonEqual(before.metadata.labels, object.metadata.labels)) return false;
  const [last, heartbeat] = [heartbeatIn(before), heartbeatIn(object)];
  if (last === undefined || heartbeat === undefined || heartbeat.marker === last.marker) return false;
  return isJsonEqual(withoutTime(before), withoutTime(object));
}

function withoutTime(fleetCluster: KubeObject): JsonObject {
  const status = objectAt(fleetCluster, "status") ?? {};
  const { lastSeen: _lastSeen, ...agent } = objectAt(status, "agent") ?? {};
  return { ...status, agent };
}

/** What is known of a member: that its agent was answered, that it sends heartbeats, and what became of what it is to deploy. */
export function memberFacts(member: Member): MemberFacts {
  const fleetCluster = fleetClusterOf(member);
  const grant = grantOf(member);
  const hasHeartbeat = fleetCluster !== undefined && heartbeatIn(fleetCluster) !== undefined;
  const isAnswered =
    hasPreviousGrant(member) ||
    (grant !== undefined && (hasHeartbeat || childByRef(member, answerRef(grant)) !== undefined));
  const { clientID } = member.state ?? {};
  return {
    hasJoined: isAnswered,
    health: hasHeartbeat ? healthOf(member) : undefined,
    credentials: credentialsOf(member, isAnswered),
    // In the status of every member: another text is a write for each of them at an upgrade.
    agent: { status: "Unknown", reason: "NotReported", message: "Fleet's agent does not say which version it is." },
    status: {
      ...(hasHeartbeat ? { agent: { namespace: agentNamespaceOf(fleetCluster) } } : {}),
      ...(clientID === undefined ? {} : { identity: { clientID } }),
    },
  };
}

function healthOf(member: Member): NonNullable<MemberFacts["health"]> {
  const { ready, total, worst } = summarizeBundles(bundleDeploymentsOf(member));
  const message =
    total === 0
      ? "The agent sends heartbeats."
      : `The agent sends heartbeats; ${ready} of ${total} bundles are ready (${worst}).`;
  return { isHealthy: true, reason: "AgentBeats", message };
}

function credentialsOf(member: Member, isAnswered: boolean): MemberFacts["credentials"] {
  if (isRevoked(member)) return revokedCredentials;
  if (hasPreviousGrant(member))
    return { status: "True", reason: "IssuedByFleet", message: "Fleet's controllers issued the agent's credential." };
  if (grantOf(member) === undefined)
    return { status: "Unknown", reason: "NotIssued", message: "No agent was let in yet." };
  if (!isAnswered) return { status: "Unknown", reason: "Issuing", message: "The agent's answer is being made." };
  return { status: "True", reason: "Unlimited", message: "Fleet's agents have a credential that does not end." };
}

/** A namespace as an agent reports it: shown only if it is valid. */
export function agentNamespaceOf(fleetCluster: KubeObject): string {
  const agentNamespace = textAt(fleetCluster, "status", "agent", "namespace") ?? "";
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u.test(agentNamespace) ? agentNamespace : fleetSystemNamespace;
}

/**
 * The answer that Fleet's users see, the status of Fleet's Cluster (the agent needs one before its first heartbeat), and what
 * `kubectl get bundledeployments` shows.
 */
export function memberStatusWrites(member: Member, hub: HubFacts, clusterStatus: ClusterStatus): StatusWrite[] {
  const { workspace: namespace, name } = member;
  const fleetCluster = fleetClusterOf(member);
  if (fleetCluster === undefined) return [];
  const { ready, total, worst, counts, resourceCounts, message } = summarizeBundles(bundleDeploymentsOf(member));
  const state = heartbeatIn(fleetCluster) === undefined ? "WaitCheckIn" : worst === "Ready" ? undefined : worst;
  const status = {
    namespace: homeNamespaceOf(member),
    display: { readyBundles: `${ready}/${total}`, ...(state === undefined ? {} : { state }) },
    summary: counts,
    resourceCounts,
    conditions: fleetConditions({ fleetCluster, member, bundles: message }, hub, clusterStatus),
  };
  const writes: StatusWrite[] = [
    { ref: { type: resourceTypes.fleetCluster, namespace, name }, status },
    ...displayWrites(member),
  ];
  const grant = grantOf(member);
  const registration = registrationOf(member);
  if (grant === undefined || registration?.metadata.uid !== grant.registrationUid) return writes;
  if (childByRef(member, answerRef(grant)) === undefined) return writes;
  const ref = { type: resourceTypes.fleetRegistration, namespace, name: grant.registration };
  return [...writes, { ref, status: { granted: true, clusterName: name } }];
}

function displayWrites(member: Member): StatusWrite[] {
  return bundleDeploymentsOf(member)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((deployment) => ({
      ref: refOf(resourceTypes.fleetBundleDeployment, deployment),
      status: { display: displayOf(deployment) },
    }));
}
