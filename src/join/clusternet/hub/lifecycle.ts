import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Lifecycle } from "../../join.ts";
import {
  noOptionalObjects,
  noPreviousHubHolds,
  nothingMissing,
  nothingPlaced,
  rolledOutElsewhere,
} from "../../neutral.ts";
import { clusternetAgentManifest } from "../manifests/agent-manifest.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import type { TokenCredentials } from "./token-credentials.ts";
import { memberOffboardingSteps, whatStaysDownstream } from "./offboarding-steps.ts";
import { homeNamespaceName, managedClusterRef } from "./member-facts.ts";

export function lifecycleBy(credentials: TokenCredentials) {
  return {
    declaredTypes: [resourceTypes.managedCluster],
    observedTypes: [resourceTypes.managedCluster],
    outsideTypes: [
      // Agents make these; they contain their workspace.
      { type: resourceTypes.registrationRequest, labelSelector: "" },
      // All of them: an object that another manager made must not be taken over without adoption.
      { type: resourceTypes.managedCluster, labelSelector: "" },
      { type: resourceTypes.namespace, labelSelector: "" },
      { type: resourceTypes.clusterRole },
      { type: resourceTypes.clusterRoleBinding },
      { type: resourceTypes.roleBinding },
      ...credentials.outsideTypes,
    ],
    exclusiveNames: (member) => [managedClusterRef(member), homeNamespaceName(member)],
    desiredObjects: (member: Member, hub: HubFacts) => desiredMemberObjects(credentials, member, hub),
    previousHubHolds: noPreviousHubHolds,
    agentManifest: clusternetAgentManifest,
    optionalObjects: noOptionalObjects,
    whyNotInstalled: nothingMissing,
    agentProgress: rolledOutElsewhere,
    offboardingSteps: memberOffboardingSteps,
    placedObjects: nothingPlaced,
    whatStaysDownstream,
  } satisfies Lifecycle;
}
