import { fleetKeys, fleetRegistrationNamespace } from "../../../model/dialects/fleet.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Lifecycle } from "../../join.ts";
import { noPreviousHubHolds, nothingMissing, nothingStays, rolledOutElsewhere } from "../../neutral.ts";
import { fleetAgentManifest, optionalAgentObjects } from "../manifests/agent-manifest.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import { memberOffboardingSteps } from "./offboarding-steps.ts";
import { bundleDeploymentsOf, fleetClusterRef, homeNamespaceRef } from "./member-facts.ts";

const { fleetCluster, fleetRegistrationToken, fleetGroup } = resourceTypes;
const declaredTypes = [fleetCluster, fleetRegistrationToken, fleetGroup];

export const lifecycle = {
  declaredTypes,
  observedTypes: [...declaredTypes, resourceTypes.fleetRegistration],
  outsideTypes: [
    // All of them: one that another manager made must not be taken over without adoption.
    { type: resourceTypes.namespace, labelSelector: "" },
    { type: resourceTypes.clusterRoleBinding },
    { type: resourceTypes.roleBinding },
    { type: resourceTypes.role, namespace: fleetRegistrationNamespace },
    { type: resourceTypes.secret, namespace: fleetRegistrationNamespace },
    // Accounts that Fleet's controllers made, in the namespaces of clusters.
    { type: resourceTypes.serviceAccount, labelSelector: `${fleetKeys.managed}=true` },
    // Other controllers create these without our labels: they belong to the member of their namespace.
    { type: resourceTypes.fleetBundleDeployment, labelSelector: "" },
  ],
  exclusiveNames: (member) => [fleetClusterRef(member), homeNamespaceRef(member)],
  desiredObjects: desiredMemberObjects,
  previousHubHolds: noPreviousHubHolds,
  agentManifest: fleetAgentManifest,
  optionalObjects: optionalAgentObjects,
  whyNotInstalled: nothingMissing,
  agentProgress: rolledOutElsewhere,
  offboardingSteps: memberOffboardingSteps,
  placedObjects: bundleDeploymentsOf,
  whatStaysDownstream: nothingStays,
} satisfies Lifecycle;
