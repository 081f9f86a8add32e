import { memberStateName } from "../../../model/member-state.ts";
import { kubefleetOffboardingWaitMs } from "../../../model/dialects/kubefleet.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { deletionPolicyOf, graceEndMs } from "../../../planning/cluster-settings.ts";
import type { OffboardingStep } from "../../join.ts";
import { childByRef, hasInstallation, isHubInitiated, refOfChild, refsWhereInstalled } from "../../member-state.ts";
import { removePlacedSteps } from "../../placed-steps.ts";
import { kubefleetAgentManifest } from "../manifests/agent-manifest.ts";
import { internalCluster } from "./desired-objects.ts";
import {
  agentStatusOf,
  homeNamespaceRef,
  internalRef,
  joinStateOf,
  memberClusterRef,
  worksOf,
} from "./member-facts.ts";

/**
 * The remaining offboarding steps of a leaving member. If the file asks for it, remove its Works: its agent removes
 * what it applied, and then its finalizer. Ask its agent to leave: it releases its Works and keeps what they made.
 * Uninstall it if the hub installed it. Revoke its credentials, and delete its state. Rights are removed before
 * finalizers, or an agent that did not leave would set them again.
 */
export function memberOffboardingSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  return [
    ...removePlacedSteps(member, hub, {
      hasAgent: agentStatusOf(childByRef(member, internalRef(member))) !== undefined,
      objects: worksOf(member),
      isReleased: false,
      hasRemoved: () => true,
    }),
    ...orderSteps(member),
    ...uninstallSteps(member, hub),
    ...deleteStep("revoke", revocable(member)),
    ...releaseSteps(member),
    ...deleteStep("forget", [
      ...present(member, homeNamespaceRef(member)),
      ...present(member, memberClusterRef(member)),
      // The state is deleted last: without it the hub does not know what else to remove.
      ...present(member, {
        type: resourceTypes.configMap,
        namespace: member.workspace,
        name: memberStateName(member.name),
      }),
    ]),
  ];
}

/** Works that the agent did not let go, and a MemberCluster that KubeFleet's hub agent kept before it was taken over. */
function releaseSteps(member: Member): OffboardingStep[] {
  const memberCluster = childByRef(member, memberClusterRef(member));
  const held = [...worksOf(member), ...(memberCluster === undefined ? [] : [memberCluster])].filter(
    ({ metadata }) => (metadata.finalizers ?? []).length > 0,
  );
  return held.length === 0 ? [] : [{ kind: "release", refs: held.flatMap(refOfChild) }];
}

/** An agent that never reported has nothing to let go. */
function orderSteps(member: Member): OffboardingStep[] {
  const internal = childByRef(member, internalRef(member));
  const { since = "", placed } = member.state?.leave ?? {};
  const orderedMs = Math.max(graceEndMs(member.cluster, since), Date.parse(placed?.overAt ?? since));
  if (agentStatusOf(internal) === undefined || Number.isNaN(orderedMs)) return [];
  const isDone = joinStateOf(internal) === "Left";
  return [
    {
      kind: "notify-agent",
      objects: [internalCluster(member, "Leave")],
      isDone,
      untilMs: orderedMs + kubefleetOffboardingWaitMs,
    },
  ];
}

export function uninstallSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const { state } = member;
  const isDone = state?.leave?.isUninstalled === true || !hasInstallation(member);
  if (!isHubInitiated(member) || isDone || deletionPolicyOf(member.cluster) !== "Uninstall") return [];
  return [{ kind: "uninstall", refs: refsWhereInstalled(member, (placed) => agentRefs(placed, hub)) }];
}

/** The definition stays: what was applied hangs on objects of it, and would be collected with them. */
function agentRefs(member: Member, hub: HubFacts): ObjectRef[] {
  const refs = kubefleetAgentManifest(member, hub, { token: "" })
    .flatMap(refOfChild)
    .filter(({ type }) => type !== resourceTypes.customResourceDefinition);
  const [first, ...rest] = refs;
  return [...rest.reverse(), ...(first === undefined ? [] : [first])];
}

export function revocable(member: Member): ObjectRef[] {
  const types: readonly ResourceType[] = [
    resourceTypes.roleBinding,
    resourceTypes.serviceAccount,
    resourceTypes.secret,
  ];
  return types.flatMap((type) => ofType(member, type).flatMap(refOfChild));
}

function ofType(member: Member, type: ResourceType): KubeObject[] {
  return member.children.filter((child) => resourceTypeOf(child) === type);
}

export function present(member: Member, ref: ObjectRef): ObjectRef[] {
  return childByRef(member, ref) === undefined ? [] : [ref];
}

export function deleteStep(purpose: string, refs: readonly ObjectRef[]): OffboardingStep[] {
  return refs.length === 0 ? [] : [{ kind: "delete", purpose, refs }];
}
