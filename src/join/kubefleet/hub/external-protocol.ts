// KubeFleet's own hub agent serves the members: Rollcall keeps MemberClusters as the files declare, installs agents where it has
// a kubeconfig, and reads what becomes of them. Namespaces, rights and statuses are not its own, and it removes none.
import { objectsAt } from "../../../core/read-json.ts";
import { memberStateName } from "../../../model/member-state.ts";
import { kubefleetOffboardingWaitMs, kubefleetReasons } from "../../../model/dialects/kubefleet.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { graceEndMs } from "../../../planning/cluster-settings.ts";
import type { JoinProtocol, OffboardingStep } from "../../join.ts";
import { childByRef } from "../../member-state.ts";
import { pendingInstall } from "./working-token.ts";
import { noPreviousHubHolds, noOffboardingStatus, noStatusWrites } from "../../neutral.ts";
import { desiredExternalObjects } from "./desired-objects.ts";
import { heartbeatOfStatus, factsFrom } from "./facts.ts";
import { kubefleetProtocol } from "./kubefleet-protocol.ts";
import { deleteStep, present, revocable, uninstallSteps } from "./offboarding-steps.ts";
import { memberClusterRef } from "./member-facts.ts";

/** The hub half of KubeFleet's protocol where its hub agent runs. */
export const externalKubefleetProtocol: JoinProtocol = {
  ...kubefleetProtocol,
  declaredTypes: [],
  outsideTypes: [{ type: resourceTypes.memberCluster, labelSelector: "" }],
  ownedTypes: [resourceTypes.serviceAccount, resourceTypes.secret],
  exclusiveNames: (member) => [memberClusterRef(member)],
  // The hub agent needs its finalizers and owners.
  previousHubHolds: noPreviousHubHolds,
  desiredObjects: desiredExternalObjects,
  pendingBootstrap: (member, hub) => pendingInstall(member, hub, isReadyByCondition),
  offboardingSteps,
  heartbeatType: resourceTypes.memberCluster,
  heartbeatRef: memberClusterRef,
  heartbeatIn: (object) =>
    resourceTypeOf(object) === resourceTypes.memberCluster ? heartbeatOfStatus(object) : undefined,
  factsOf: (member, hub) => factsFrom(childByRef(member, memberClusterRef(member)), member, hub),
  statusWrites: noStatusWrites,
  offboardingStatusWrites: noOffboardingStatus,
};

/** The hub agent reports that namespace and rights exist. */
function isReadyByCondition(member: Member): boolean {
  const conditions = objectsAt(childByRef(member, memberClusterRef(member)), "status", "conditions");
  return conditions.some(({ reason, status }) => reason === kubefleetReasons.readyToJoin && status === "True");
}

/** The hub agent sees the MemberCluster go, and lets its agent leave first: until then that is left as it is. */
function offboardingSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const memberCluster = childByRef(member, memberClusterRef(member));
  const beganMs = graceEndMs(member.cluster, member.state?.leave?.since ?? "");
  const isGoing = memberCluster?.metadata.deletionTimestamp !== undefined;
  const state = { type: resourceTypes.configMap, namespace: member.workspace, name: memberStateName(member.name) };
  return [
    ...(isGoing ? [] : deleteStep("forget", present(member, memberClusterRef(member)))),
    ...(memberCluster === undefined || Number.isNaN(beganMs)
      ? []
      : [{ kind: "wait" as const, untilMs: beganMs + kubefleetOffboardingWaitMs }]),
    ...uninstallSteps(member, hub),
    ...deleteStep("revoke", revocable(member)),
    ...deleteStep("forget", present(member, state)),
  ];
}
