import { objectsAt, textAt } from "../../../core/read-json.ts";
import type { JsonObject } from "../../../core/json.ts";
import {
  kubefleetAgentType,
  memberAccountName,
  memberNamespaceName,
  memberRoleBindingName,
  memberRoleName,
} from "../../../model/dialects/kubefleet.ts";
import type { KubeFleetIdentity } from "../../../model/generated/cluster.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { heartbeatOf } from "../../../planning/cluster-settings.ts";
import { childByRef } from "../../member-state.ts";

type Named = Pick<Member, "workspace" | "name">;

export function memberClusterRef({ name }: Named): ObjectRef {
  return { type: resourceTypes.memberCluster, name };
}

export function homeNamespaceRef({ name }: Named): ObjectRef {
  return { type: resourceTypes.namespace, name: memberNamespaceName(name) };
}

export function internalRef({ name }: Named): ObjectRef {
  return { type: resourceTypes.internalMemberCluster, namespace: memberNamespaceName(name), name };
}

export function roleRef({ name }: Named): ObjectRef {
  return { type: resourceTypes.role, namespace: memberNamespaceName(name), name: memberRoleName(name) };
}

export function roleBindingRef({ name }: Named): ObjectRef {
  return { type: resourceTypes.roleBinding, namespace: memberNamespaceName(name), name: memberRoleBindingName(name) };
}

export function accountRef({ workspace, name }: Named): ObjectRef {
  return { type: resourceTypes.serviceAccount, namespace: workspace, name: memberAccountName(name) };
}

/** Its namespace is there and is not on its way out: then something can be put into it. */
export function hasHome(member: Member): boolean {
  const namespace = childByRef(member, homeNamespaceRef(member));
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}

/** Everything that an agent needs to come in is there. */
export function isReadyToJoin(member: Member): boolean {
  return (
    hasHome(member) &&
    [roleRef, roleBindingRef, internalRef].every((ref) => childByRef(member, ref(member)) !== undefined)
  );
}

/** What the agent reports of itself. */
export function agentStatusOf(internal: KubeObject | undefined): JsonObject | undefined {
  return objectsAt(internal, "status", "agentStatus").find(({ type }) => type === kubefleetAgentType);
}

/** A condition among those of the agent. */
export function agentConditionOf(internal: KubeObject | undefined, type: string): JsonObject | undefined {
  return objectsAt(agentStatusOf(internal), "conditions").find((condition) => condition["type"] === type);
}

/** The agent reports that it has joined, or that it has left. */
export function joinStateOf(internal: KubeObject | undefined): "Joined" | "Left" | "Unknown" {
  const status = textAt(agentConditionOf(internal, "Joined"), "status");
  return status === "True" ? "Joined" : status === "False" ? "Left" : "Unknown";
}

/** What its agent is to apply. Only what is in its own namespace: an agent may label its Works as it likes. */
export function worksOf(member: Member): readonly KubeObject[] {
  const namespace = memberNamespaceName(member.name);
  return member.children.filter(
    (child) => resourceTypeOf(child) === resourceTypes.work && child.metadata.namespace === namespace,
  );
}

/** The account that the agent uses: the one that the file declares, otherwise the one that the hub makes. */
export function identityOf(member: Member): KubeFleetIdentity {
  return member.cluster.spec?.kubefleet?.identity ?? ownIdentity(member);
}

/** The hub makes and serves this account alone; any other is bound, and never issued anything. */
export function isOwnAccount(member: Member): boolean {
  const { kind, name, namespace } = identityOf(member);
  const own = ownIdentity(member);
  return kind === own.kind && name === own.name && namespace === own.namespace;
}

function ownIdentity({ workspace, name }: Named): KubeFleetIdentity {
  return { kind: "ServiceAccount", name: memberAccountName(name), namespace: workspace };
}

/** Seconds between two heartbeats. */
export function periodSecondsOf({ cluster }: Member): number {
  return heartbeatOf(cluster).periodSeconds;
}
