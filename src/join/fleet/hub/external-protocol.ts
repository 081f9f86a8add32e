// Rancher Fleet's own controllers serve the agents: Rollcall keeps Fleet's Clusters and tokens as the files declare, and reads
// what becomes of them. It makes no account, no right and no status, and removes none.
import { objectsAt, textAt } from "../../../core/read-json.ts";
import type { Member, TokenSubject } from "../../../model/member.ts";
import { memberStateName } from "../../../model/member-state.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isTokenClosed } from "../../../planning/token-life.ts";
import { tokenStatus } from "../../../planning/token-status.ts";
import type { JoinProtocol, OffboardingStep, MemberFacts } from "../../join.ts";
import { childByRef, refOfChild } from "../../member-state.ts";
import {
  noOptionalObjects,
  issuedElsewhere,
  namesNoSecrets,
  neverDue,
  neverInstalled,
  neverRejoins,
  noPreviousHubHolds,
  noOffboardingStatus,
  noRegistrations,
  noStatusWrites,
  nothingMissing,
  nothingPlaced,
  nothingStays,
  periodOfFile,
  rolledOutElsewhere,
} from "../../neutral.ts";
import { fleetToken } from "./desired-token-objects.ts";
import { agentNamespaceOf, isOnlyFleetHeartbeat } from "./facts.ts";
import { renderFleetCluster } from "./fleet-cluster.ts";
import { heartbeatIn, fleetClusterOf, fleetClusterRef } from "./member-facts.ts";

/** The hub half of Rancher Fleet's protocol where Fleet's controllers run. */
export const externalFleetProtocol = {
  name: "fleet",
  registrations: noRegistrations,
  declaredTypes: [],
  observedTypes: [resourceTypes.fleetCluster, resourceTypes.fleetRegistrationToken],
  outsideTypes: [],
  ownedTypes: [resourceTypes.fleetRegistrationToken],
  exclusiveNames: (member) => [fleetClusterRef(member)],
  desiredObjects: (member) => [renderFleetCluster(member)],
  desiredTokenObjects: (subject, hub) => (isTokenClosed(subject, hub) ? [] : [fleetToken(subject)]),
  tokenStatuses: (subject, members, hub) => {
    const { workspace: namespace, name } = subject;
    const hasSecret = secretNameOf(subject) !== undefined;
    const status = { ...tokenStatus({ subject, members, hub, values: { hasSecret, isComplete: hasSecret } }) };
    return [{ ref: { type: resourceTypes.clusterRegistrationToken, namespace, name }, status }];
  },
  // Whatever of ours is there from a time when Rollcall served these agents: they work on with it.
  keptObjects: (subject) => (subject.kind === "member" ? subject.member.children.flatMap(refOfChild) : []),
  dueAtMs: neverDue,
  ...issuedElsewhere,
  offboardingSteps,
  placedObjects: nothingPlaced,
  agentManifest: () => [],
  optionalObjects: noOptionalObjects,
  pendingBootstrap: neverInstalled,
  rejoinOf: neverRejoins,
  namedSecrets: namesNoSecrets,
  previousHubHolds: noPreviousHubHolds,
  whyNotInstalled: nothingMissing,
  agentProgress: rolledOutElsewhere,
  whatStaysDownstream: nothingStays,
  heartbeatType: resourceTypes.fleetCluster,
  heartbeatRef: fleetClusterRef,
  heartbeatIn,
  isOnlyHeartbeat: isOnlyFleetHeartbeat,
  factsOf,
  agentPeriodSeconds: periodOfFile,
  statusWrites: noStatusWrites,
  offboardingStatusWrites: noOffboardingStatus,
} satisfies JoinProtocol;

/** The Secret that Fleet made for a token and names in its status. */
function secretNameOf(subject: TokenSubject): string | undefined {
  const { workspace: namespace, name } = subject;
  const object = childByRef(subject, { type: resourceTypes.fleetRegistrationToken, namespace, name });
  const secretName = textAt(object, "status", "secretName");
  return secretName === "" ? undefined : secretName;
}

/** Fleet's controllers see that Fleet's Cluster is deleted, and remove their own objects; then the state is deleted. */
function offboardingSteps(member: Member): OffboardingStep[] {
  const { workspace: namespace, name } = member;
  const state = childByRef(member, { type: resourceTypes.configMap, namespace, name: memberStateName(name) });
  const refs = [fleetClusterOf(member), state].flatMap((child) => (child === undefined ? [] : refOfChild(child)));
  return refs.length === 0 ? [] : [{ kind: "delete", purpose: "forget", refs }];
}

function factsOf(member: Member): MemberFacts {
  const fleetCluster = fleetClusterOf(member);
  const hasHeartbeat = fleetCluster !== undefined && heartbeatIn(fleetCluster) !== undefined;
  const ready = objectsAt(fleetCluster, "status", "conditions").find(({ type }) => type === "Ready");
  const message = textAt(ready, "message");
  const bundles = textAt(fleetCluster, "status", "display", "readyBundles");
  const details = [bundles === undefined ? undefined : `${bundles} bundles are ready`, message].filter((text) => text);
  return {
    hasJoined: hasHeartbeat,
    health: hasHeartbeat
      ? {
          isHealthy: true,
          reason: "AgentBeats",
          // In the status of every member: another text is a write for each of them at an upgrade.
          message: `The agent sends heartbeats; Fleet says: ${details.join("; ") || "nothing"}.`,
        }
      : undefined,
    credentials: {
      status: "Unknown",
      reason: "External",
      message: "Fleet's own controllers issue the agent's credential.",
    },
    agent: { status: "Unknown", reason: "External", message: "Fleet's own controllers update the agent." },
    status: { ...(hasHeartbeat ? { agent: { namespace: agentNamespaceOf(fleetCluster) } } : {}) },
  };
}
