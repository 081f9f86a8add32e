import { memberStateName } from "../../../model/member-state.ts";
import { fleetAgentNames } from "../../../model/dialects/fleet.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { deletionPolicyOf } from "../../../planning/cluster-settings.ts";
import type { OffboardingStep } from "../../join.ts";
import { childByRef, hasInstallation, isHubInitiated, refOfChild, refsWhereInstalled } from "../../member-state.ts";
import { removePlacedSteps } from "../../placed-steps.ts";
import { agentNamespaceFor, fleetAgentManifest } from "../manifests/agent-manifest.ts";
import {
  answerRef,
  heartbeatIn,
  bundleDeploymentsOf,
  fleetClusterOf,
  fleetClusterRef,
  grantOf,
  homeNamespaceRef,
  registrationOf,
} from "./member-facts.ts";

/**
 * An agent that sees a deployment vanish removes it from its cluster. Taking its credential away does not end a watch that
 * is open; a client asks for a new one after ten minutes at most, and is refused then. Source: client-go, reflector.
 */
const longestWatchMs = 11 * 60_000;

/** Time for an agent that lives to remove what it deployed. */
const removalMs = 30_000;

const revokedTypes = [
  resourceTypes.roleBinding,
  resourceTypes.clusterRoleBinding,
  resourceTypes.role,
  resourceTypes.serviceAccount,
];

/**
 * What is left to do for a member that leaves: remove what it deployed where the file asks for it; remove the agent where
 * the hub installed it, revoke, wait until no agent can see it, and forget. Without that wish, what the agent deployed
 * stays in its cluster.
 */
export function memberOffboardingSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const revoked = [
    ...revokedTypes.flatMap((type) => ofType(member, type)),
    ...ofType(member, resourceTypes.secret).filter((secret) => secret["type"] !== "Opaque"),
  ];
  return [
    ...placedSteps(member, hub),
    ...uninstallSteps(member, hub),
    ...(revoked.length === 0
      ? []
      : [{ kind: "delete" as const, purpose: "revoke", refs: revoked.flatMap(refOfChild) }]),
    ...waitSteps(member, revoked.length === 0 ? undefined : hub.nowMs),
    ...releaseSteps(member),
    ...forgettingSteps(member),
  ];
}

/**
 * Fleet's agent removes what it deployed when the BundleDeployment is deleted, and reports nothing of that. Its next heartbeat
 * shows that it lives, so that it has seen the deletion.
 */
function placedSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const fleetCluster = fleetClusterOf(member);
  const heartbeatMarker = fleetCluster && heartbeatIn(fleetCluster)?.marker;
  return removePlacedSteps(member, hub, {
    hasAgent: heartbeatMarker !== undefined,
    objects: bundleDeploymentsOf(member),
    isReleased: true,
    ...(heartbeatMarker === undefined ? {} : { heartbeatMarker }),
    hasRemoved: (sinceMs, before) => heartbeatMarker !== before && hub.nowMs >= sinceMs + removalMs,
  });
}

function uninstallSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const { state } = member;
  const isDone = state?.leave?.isUninstalled === true || !hasInstallation(member);
  if (!isHubInitiated(member) || isDone || deletionPolicyOf(member.cluster) !== "Uninstall") return [];
  return [{ kind: "uninstall", refs: refsWhereInstalled(member, (placed) => agentRefs(placed, hub)) }];
}

function agentRefs(member: Member, hub: HubFacts): ObjectRef[] {
  const namespace = agentNamespaceFor(member);
  const secrets = [fleetAgentNames.bootstrap, fleetAgentNames.agent].map((name) => ({
    type: resourceTypes.secret,
    namespace,
    name,
  }));
  const [first, ...rest] = fleetAgentManifest(member, hub).flatMap(refOfChild);
  return [...rest.reverse(), ...secrets, ...(first === undefined ? [] : [first])];
}

/** `revokesMs`: set where its rights are about to be taken away. */
function waitSteps(member: Member, revokesMs: number | undefined): OffboardingStep[] {
  const { leave } = member.state ?? {};
  const revokedMs = revokesMs ?? Date.parse(leave?.revokedAt ?? leave?.since ?? "");
  if (bundleDeploymentsOf(member).length === 0 || Number.isNaN(revokedMs)) return [];
  return [{ kind: "wait", untilMs: revokedMs + longestWatchMs }];
}

/** Where Fleet's controllers do not run, no other controller removes their finalizers. */
function releaseSteps(member: Member): OffboardingStep[] {
  const held = [fleetClusterOf(member), ...bundleDeploymentsOf(member)].filter(
    (object) => (object?.metadata.finalizers ?? []).length > 0,
  );
  const refs = held.flatMap((object) => (object === undefined ? [] : refOfChild(object)));
  return refs.length === 0 ? [] : [{ kind: "release", refs }];
}

function forgettingSteps(member: Member): OffboardingStep[] {
  const { workspace: namespace, name } = member;
  const grant = grantOf(member);
  const known = [
    grant === undefined ? undefined : childByRef(member, answerRef(grant)),
    registrationOf(member),
    childByRef(member, homeNamespaceRef(member)),
    childByRef(member, fleetClusterRef(member)),
    // The state is deleted last: without it the hub does not know what else to remove.
    childByRef(member, { type: resourceTypes.configMap, namespace, name: memberStateName(name) }),
  ];
  const refs = known.flatMap((child) => (child === undefined ? [] : refOfChild(child)));
  return refs.length === 0 ? [] : [{ kind: "delete", purpose: "forget", refs }];
}

function ofType(member: Member, type: ResourceType): KubeObject[] {
  return member.children.filter((child) => resourceTypeOf(child) === type);
}
