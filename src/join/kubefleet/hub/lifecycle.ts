import { kubefleetFinalizerPrefix } from "../../../model/dialects/kubefleet.ts";
import type { Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { PreviousHubHold, Lifecycle } from "../../join.ts";
import { childByRef } from "../../member-state.ts";
import { noOptionalObjects, nothingMissing, nothingStays, rolledOutElsewhere } from "../../neutral.ts";
import { kubefleetAgentManifest } from "../manifests/agent-manifest.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import { memberOffboardingSteps } from "./offboarding-steps.ts";
import { homeNamespaceRef, internalRef, memberClusterRef, roleBindingRef, roleRef, worksOf } from "./member-facts.ts";

export const lifecycle = {
  declaredTypes: [resourceTypes.memberCluster],
  observedTypes: [],
  outsideTypes: [
    // All of them: an object that another manager made must not be taken over without adoption.
    { type: resourceTypes.memberCluster, labelSelector: "" },
    { type: resourceTypes.namespace, labelSelector: "" },
    { type: resourceTypes.role },
    { type: resourceTypes.roleBinding },
    { type: resourceTypes.internalMemberCluster },
    // Other controllers create these without our labels: they belong to the member of their namespace.
    { type: resourceTypes.work, labelSelector: "" },
  ],
  exclusiveNames: (member) => [memberClusterRef(member), homeNamespaceRef(member)],
  desiredObjects: (member) => desiredMemberObjects(member),
  previousHubHolds,
  agentManifest: kubefleetAgentManifest,
  optionalObjects: noOptionalObjects,
  whyNotInstalled: nothingMissing,
  agentProgress: rolledOutElsewhere,
  offboardingSteps: memberOffboardingSteps,
  placedObjects: worksOf,
  whatStaysDownstream: nothingStays,
} satisfies Lifecycle;

/**
 * What KubeFleet's hub agent set on the objects of a member that was taken over from it; other managers' fields are not
 * changed.
 */
function previousHubHolds(member: Member): PreviousHubHold[] {
  const refs = [memberClusterRef, homeNamespaceRef, roleRef, roleBindingRef, internalRef].map((refOf) => refOf(member));
  return refs.flatMap((ref): PreviousHubHold[] => {
    const { finalizers = [], ownerReferences = [] } = childByRef(member, ref)?.metadata ?? {};
    const hold = {
      ref,
      finalizers: finalizers.filter((name) => !name.startsWith(kubefleetFinalizerPrefix)),
      ownerReferences: ownerReferences.filter(({ kind }) => kind !== resourceTypes.memberCluster.kind),
    };
    const isFree =
      hold.finalizers.length === finalizers.length && hold.ownerReferences.length === ownerReferences.length;
    return isFree ? [] : [hold];
  });
}
