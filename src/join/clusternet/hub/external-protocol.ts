// Clusternet's own controllers serve the agents: Rollcall keeps ManagedClusters as the files declare, and reads what becomes of
// them. Requests, accounts, rights and statuses are not its own, and it removes none. Where a file names a kubeconfig and a
// credential of Clusternet's own, Rollcall installs the agent.
import { objectAt, objectsAt } from "../../../core/read-json.ts";
import { memberStateName } from "../../../model/member-state.ts";
import { isTaintOfClusternet, registrationRequestName } from "../../../model/dialects/clusternet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { tokenStatus } from "../../../planning/token-status.ts";
import type { JoinProtocol, OffboardingStep, MemberFacts } from "../../join.ts";
import { childByRef, isRevoked, refOfChild } from "../../member-state.ts";
import {
  noOptionalObjects,
  issuedElsewhere,
  neverDue,
  neverRejoins,
  noPreviousHubHolds,
  noOffboardingStatus,
  noRegistrations,
  noStatusWrites,
  noTokenObjects,
  nothingPlaced,
  rolledOutElsewhere,
} from "../../neutral.ts";
import { renderHomeNamespace, renderManagedCluster } from "./desired-objects.ts";
import { isOnlyClusternetHeartbeat, memberFacts } from "./facts.ts";
import { manifestOf, pendingExternalInstall, whyNotInstalled } from "./external-install.ts";
import { isUninstalled, remainsOfAgent, uninstallSteps } from "./offboarding-steps.ts";
import {
  agentPeriodOf,
  heartbeatIn,
  clusterIdOf,
  hasHome,
  homeNamespaceOf,
  isHomeDedicated,
  homeNamespaceRef,
  managedClusterOf,
  managedClusterRef,
} from "./member-facts.ts";

/** The hub half of Clusternet's protocol where its controller manager runs. */
export const externalClusternetProtocol: JoinProtocol = {
  name: "clusternet",
  declaredTypes: [],
  observedTypes: [],
  outsideTypes: [
    { type: resourceTypes.managedCluster, labelSelector: "" },
    { type: resourceTypes.namespace, labelSelector: "" },
  ],
  ownedTypes: [],
  exclusiveNames: (member) => [managedClusterRef(member), ...(isHomeOurs(member) ? [homeNamespaceRef(member)] : [])],
  desiredObjects,
  registrations: noRegistrations,
  desiredTokenObjects: noTokenObjects,
  tokenStatuses: (subject, members, hub) => {
    const { workspace: namespace, name } = subject;
    const values = { hasSecret: false, isComplete: false };
    const status = tokenStatus({ subject: { ...subject, refusal: noToken }, members, hub, values });
    return [{ ref: { type: resourceTypes.clusterRegistrationToken, namespace, name }, status: { ...status } }];
  },
  keptObjects: () => [],
  dueAtMs: neverDue,
  ...issuedElsewhere,
  rejoinOf: neverRejoins,
  previousHubHolds: noPreviousHubHolds,
  agentProgress: rolledOutElsewhere,
  offboardingSteps,
  placedObjects: nothingPlaced,
  whatStaysDownstream: whatStays,
  agentManifest: manifestOf,
  optionalObjects: noOptionalObjects,
  pendingBootstrap: pendingExternalInstall,
  namedSecrets: ({ spec }) => (spec?.clusternet?.bootstrapSecretRef ? [spec.clusternet.bootstrapSecretRef.name] : []),
  whyNotInstalled,
  heartbeatType: resourceTypes.managedCluster,
  heartbeatRef: managedClusterRef,
  heartbeatIn,
  isOnlyHeartbeat: isOnlyClusternetHeartbeat,
  agentPeriodSeconds: agentPeriodOf,
  factsOf,
  statusWrites: noStatusWrites,
  offboardingStatusWrites: noOffboardingStatus,
};

const noToken = {
  reason: "External",
  message: "Clusternet's own controllers let agents in, by bootstrap tokens of kube-system: this token opens nothing.",
};

/**
 * A namespace that a file names is Clusternet's, and so is that of an agent which Rollcall installs and does not know the id
 * of yet; else Rollcall makes one, and the approver takes it, by its labels.
 */
function isHomeOurs(member: Pick<Member, "workspace" | "name" | "cluster">): boolean {
  const { clientID, clusternet, kubeConfigSecretRef } = member.cluster.spec ?? {};
  if (clientID === undefined && kubeConfigSecretRef && clusternet?.bootstrapSecretRef) return false;
  return isHomeDedicated(member);
}

/** Who the agent is must be known: the approver finds both objects by the cluster's id. */
function desiredObjects(member: Member): KubeObject[] {
  const clusterId = clusterIdOf(member);
  if (clusterId === undefined) return [];
  const isThere = !isHomeOurs(member) || hasHome(member);
  return [
    ...(isHomeOurs(member) ? [renderHomeNamespace(member)] : []),
    ...(isThere ? [withTaintsOfHub(renderManagedCluster(member, clusterId), managedClusterOf(member))] : []),
  ];
}

/**
 * Clusternet's controllers put taints of their own beside those of the file, in a list that has one owner: as long as its
 * content is not known, the list is not written.
 */
function withTaintsOfHub(wanted: KubeObject, live: KubeObject | undefined): KubeObject {
  const { taints: _taints, ...rest } = objectAt(wanted, "spec") ?? {};
  if (live === undefined) return { ...wanted, spec: rest };
  const own = objectsAt(wanted, "spec", "taints");
  const theirs = objectsAt(live, "spec", "taints").filter(isTaintOfClusternet);
  if (own.length === 0 || theirs.length === 0) return wanted;
  return { ...wanted, spec: { ...rest, taints: [...own, ...theirs] } };
}

function offboardingSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const { workspace: namespace, name } = member;
  const home = isHomeOurs(member) ? childByRef(member, homeNamespaceRef(member)) : undefined;
  const state = childByRef(member, { type: resourceTypes.configMap, namespace, name: memberStateName(name) });
  const refs = [managedClusterOf(member), home, state].flatMap((child) =>
    child === undefined ? [] : refOfChild(child),
  );
  return [
    ...uninstallSteps(member, hub),
    ...(refs.length === 0 ? [] : [{ kind: "delete" as const, purpose: "forget", refs }]),
  ];
}

function whatStays(member: Member): string {
  const clusterId = clusterIdOf(member);
  const request = clusterId === undefined ? "its request" : registrationRequestName(clusterId);
  const onHub = `ClusterRegistrationRequest, ClusterRole and ClusterRoleBinding ${request}, and its account`;
  const namespace = isHomeOurs(member) ? "" : `Namespace ${homeNamespaceOf(member)}, `;
  const remains = `On the hub stays what Clusternet's controllers made for it: ${namespace}${onHub}.`;
  return isUninstalled(member) ? remains : `${remains} ${remainsOfAgent(member)}`;
}

function factsOf(member: Member): MemberFacts {
  const facts = memberFacts(member);
  const message = isRevoked(member)
    ? "Clusternet's own controllers issued the agent's credential, and Rollcall cannot end it: delete its account on the hub."
    : "Clusternet's own controllers issue the agent's credential.";
  return {
    ...facts,
    credentials: { status: "Unknown", reason: "External", message },
    agent: {
      status: "Unknown",
      reason: "External",
      message: clusterIdOf(member)
        ? "Clusternet's agents are installed and updated by the administrator of Clusternet."
        : "The file must declare spec.clientID, and spec.clusternet.clusterNamespace where Clusternet made the namespace: rollcall import clusternet writes both.",
    },
  };
}
