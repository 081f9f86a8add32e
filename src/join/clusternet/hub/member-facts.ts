import { numberAt, textAt } from "../../../core/read-json.ts";
import {
  agentAccountName,
  clusternetAnswerLifeMs,
  clusternetCreator,
  clusternetFirstAnswerLifeMs,
  clusternetKeys,
  dedicatedNamespaceName,
  requestRoleName,
} from "../../../model/dialects/clusternet.ts";
import type { Cluster } from "../../../model/generated/cluster.ts";
import type { ExclusiveName } from "../../../model/exclusive-name.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import type { Heartbeat } from "../../join.ts";
import { childByRef } from "../../member-state.ts";

/** What the hub remembers of an agent that was admitted, in `state.protocolFacts`. */
export interface Grant {
  /** Name of the request that is answered, and its uid: one that is made anew under the same name is answered anew. */
  readonly request: string;
  readonly requestUid: string;
  readonly clusterId: string;
  /** The token by which this was asked, who holds it may read the answer for a while; empty where none was needed. */
  readonly tokenName: string;
  readonly clusterType: string;
  readonly syncMode: string;
  readonly grantedMs: number;
}

export function grantOf({ state }: Pick<Member, "state">): Grant | undefined {
  const {
    requestUid,
    clusterId,
    door: tokenName = "",
    clusterType = "",
    syncMode = "Pull",
  } = state?.protocolFacts ?? {};
  const { join } = state ?? {};
  if (join === undefined || requestUid === undefined || clusterId === undefined) return undefined;
  const grantedMs = Date.parse(join.time);
  return { request: join.registration, requestUid, clusterId, tokenName, clusterType, syncMode, grantedMs };
}

/**
 * The id that an agent of this member reports, as far as the hub knows; the object of Clusternet's approver has it too.
 */
export function clusterIdOf(member: Member): string | undefined {
  const { cluster, state } = member;
  return cluster.spec?.clientID ?? state?.clientID ?? textAt(managedClusterOf(member), "spec", "clusterId");
}

type Placed = Pick<Member, "workspace" | "name" | "cluster">;

export function homeNamespaceOf({ workspace, name, cluster }: Placed): string {
  return wantedNamespaceOf(cluster) ?? dedicatedNamespaceName(workspace, name);
}

/** Whether it is the one that the hub makes for this member, and no other that its file names. */
export function isHomeDedicated(member: Placed): boolean {
  return homeNamespaceOf(member) === dedicatedNamespaceName(member.workspace, member.name);
}

function wantedNamespaceOf(cluster: Cluster): string | undefined {
  return cluster.spec?.clusternet?.clusterNamespace;
}

export function homeNamespaceRef(member: Placed): ObjectRef {
  return { type: resourceTypes.namespace, name: homeNamespaceOf(member) };
}

/** One that a file names is taken over only where Clusternet made it for this cluster: by its id, or else by its name. */
export function homeNamespaceName(member: Placed): ExclusiveName {
  const ref = homeNamespaceRef(member);
  if (isHomeDedicated(member)) return ref;
  const { clientID } = member.cluster.spec ?? {};
  const labelsToAdopt = {
    [clusternetKeys.createdBy]: clusternetCreator,
    ...(clientID === undefined
      ? { [clusternetKeys.clusterName]: member.name }
      : { [clusternetKeys.clusterId]: clientID }),
  };
  return { ...ref, labelsToAdopt };
}

export function managedClusterRef(member: Placed): ObjectRef {
  return { type: resourceTypes.managedCluster, namespace: homeNamespaceOf(member), name: member.name };
}

export function agentAccountRef({ workspace }: Pick<Member, "workspace">, { clusterId }: Grant): ObjectRef {
  return { type: resourceTypes.serviceAccount, namespace: workspace, name: agentAccountName(clusterId) };
}

export function requestBindingRef({ workspace, name }: Pick<Member, "workspace" | "name">): ObjectRef {
  return { type: resourceTypes.clusterRoleBinding, name: requestRoleName(workspace, name) };
}

export function homeBindingRef(member: Placed): ObjectRef {
  return { type: resourceTypes.roleBinding, namespace: homeNamespaceOf(member), name: "rollcall-clusternet-agent" };
}

/**
 * Its namespace is there and is not on its way out: then something can be put into it. One that Clusternet made and that is
 * not taken over yet is known by the ManagedCluster in it.
 */
export function hasHome(member: Member): boolean {
  const namespace = childByRef(member, homeNamespaceRef(member));
  if (namespace === undefined) return managedClusterOf(member) !== undefined;
  return namespace.metadata.deletionTimestamp === undefined;
}

export function managedClusterOf(member: Member): KubeObject | undefined {
  return childByRef(member, managedClusterRef(member));
}

export function requestOf(member: Member): KubeObject | undefined {
  const name = member.state?.join?.registration;
  return name === undefined ? undefined : childByRef(member, { type: resourceTypes.registrationRequest, name });
}

/** When the agent last read its cluster, by its own clock; only its change is evaluated. */
export function heartbeatIn(object: KubeObject): Heartbeat | undefined {
  if (resourceTypeOf(object) !== resourceTypes.managedCluster) return undefined;
  const marker = textAt(object, "status", "lastObservedTime") ?? "";
  // An admission policy allows only the hub to change this label.
  const workspace = object.metadata.labels?.[labelKeys.ownerWorkspace];
  return marker === "" || workspace === undefined ? undefined : { workspace, cluster: object.metadata.name, marker };
}

export function hasHeartbeat(member: Member): boolean {
  const managedCluster = managedClusterOf(member);
  return managedCluster !== undefined && heartbeatIn(managedCluster) !== undefined;
}

/** The heartbeat period in seconds that the agent was configured with, within the bounds of a Cluster's own field. */
export function agentPeriodOf(member: Member): number | undefined {
  const seconds = numberAt(managedClusterOf(member), "status", "heartbeatFrequencySeconds");
  if (seconds === undefined || !Number.isInteger(seconds) || seconds < 1) return undefined;
  return Math.min(seconds, 3600);
}

/** Until when (epoch ms) the answer may be read with the credential of the token that was named. */
export function answerEndMs(member: Member, grant: Grant): number {
  return grant.grantedMs + (hasHeartbeat(member) ? clusternetAnswerLifeMs : clusternetFirstAnswerLifeMs);
}

/** An agent may still be waiting for its answer. */
export function isAnswerOpen(member: Member, grant: Grant, hub: HubFacts): boolean {
  return hub.nowMs < answerEndMs(member, grant);
}
