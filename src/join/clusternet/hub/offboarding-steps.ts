import { memberStateName } from "../../../model/member-state.ts";
import { clusternetAgentNames, dedicatedNamespaceName } from "../../../model/dialects/clusternet.ts";
import { isAdopting } from "../../../model/is-adopting.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { deletionPolicyOf } from "../../../planning/cluster-settings.ts";
import type { OffboardingStep } from "../../join.ts";
import { childByRef, hasInstallation, isHubInitiated, refOfChild, refsWhereInstalled } from "../../member-state.ts";
import { agentNamespaceOf, clusternetAgentManifest } from "../manifests/agent-manifest.ts";
import { requestOf } from "./member-facts.ts";

/** Bindings before what they bind: from then on the agent can do nothing. */
const revokedTypes: readonly ResourceType[] = [
  resourceTypes.clusterRoleBinding,
  resourceTypes.roleBinding,
  resourceTypes.clusterRole,
  resourceTypes.serviceAccount,
  resourceTypes.secret,
];

/**
 * What is left to do for a member that leaves, which Clusternet itself has no way for: remove the agent where the hub
 * installed it, revoke, and forget: the request with the answer, the ManagedCluster, the namespace.
 */
export function memberOffboardingSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const { workspace: namespace, name } = member;
  const request = requestOf(member);
  return [
    ...uninstallSteps(member, hub),
    ...deleteStep(
      "revoke",
      revokedTypes.flatMap((type) => ofType(member, type).flatMap(refOfChild)),
    ),
    ...deleteStep("forget", [
      ...(request === undefined ? [] : refOfChild(request)),
      ...ofType(member, resourceTypes.managedCluster).flatMap(refOfChild),
      ...ofType(member, resourceTypes.namespace)
        .filter((home) => isOurs(member, home))
        .flatMap(refOfChild),
      // The state is deleted last: without it the hub does not know what else to remove.
      ...present(member, { type: resourceTypes.configMap, namespace, name: memberStateName(name) }),
    ]),
  ];
}

/** A namespace that a file took over was there before. */
function isOurs(member: Member, { metadata }: KubeObject): boolean {
  return !isAdopting(member.cluster) || metadata.name === dedicatedNamespaceName(member.workspace, member.name);
}

/** Removes the agent where the hub installed it. */
export function uninstallSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  if (!isUninstalled(member)) return [];
  const { state } = member;
  if (state?.leave?.isUninstalled === true || !hasInstallation(member)) return [];
  const refs = refsWhereInstalled(member, (placed) => {
    const [first, ...rest] = clusternetAgentManifest(placed, hub, { regToken: "" }).flatMap(refOfChild);
    return [...rest.reverse(), ...(first === undefined ? [] : [first])];
  });
  return [{ kind: "uninstall", refs }];
}

/** A leave removes the agent too. */
export function isUninstalled(member: Member): boolean {
  return isHubInitiated(member) && deletionPolicyOf(member.cluster) === "Uninstall";
}

/** What stays downstream after an offboarding, for the user who cleans up. */
export function whatStaysDownstream(member: Member): string | undefined {
  return isUninstalled(member) ? undefined : remainsOfAgent(member);
}

/** The agent and what it was installed with, as a sentence. */
export function remainsOfAgent(member: Member): string {
  const { answer, lease } = clusternetAgentNames;
  const namespace = member.state?.install?.namespace ?? agentNamespaceOf(member);
  return (
    `Its agent stays in the cluster and is refused from now on. Remove there: Deployment ${namespace}/clusternet-agent, ` +
    `Secret ${namespace}/${answer}, Lease ${namespace}/${lease}, and the accounts and roles that it was installed with.`
  );
}

function ofType(member: Member, type: ResourceType): KubeObject[] {
  return member.children.filter((child) => resourceTypeOf(child) === type);
}

function present(member: Member, ref: ObjectRef): ObjectRef[] {
  return childByRef(member, ref) === undefined ? [] : [ref];
}

function deleteStep(purpose: string, refs: readonly ObjectRef[]): OffboardingStep[] {
  return refs.length === 0 ? [] : [{ kind: "delete", purpose, refs }];
}
