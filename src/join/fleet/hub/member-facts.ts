import { textAt } from "../../../core/read-json.ts";
import {
  clusterNamespaceName,
  fleetAnswerLifeMs,
  fleetRegistrationNamespace,
  safeConcatName,
} from "../../../model/dialects/fleet.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import type { Heartbeat } from "../../join.ts";
import { childByRef } from "../../member-state.ts";

/** What the hub remembers of an agent's grant, in `state.protocolFacts`. */
export interface Grant {
  /** Name of the registration; the agent's bindings are named like it. */
  readonly registration: string;
  readonly registrationUid: string;
  /** The agent's account, in the workspace. */
  readonly account: string;
  /**
   * How names of its objects outside of the workspace begin: the account's name, which has a uid in it. Default, for agents that
   * were admitted before: the registration's, which keep the objects that they have.
   */
  readonly sharedName: string;
  /** The Secret with the answer, in the namespace of registrations. */
  readonly answer: string;
  /** The account of the token that may read the answer; empty for an agent that did not name its token. */
  readonly reader: string;
  readonly grantedMs: number;
}

export function grantOf({ state }: Pick<Member, "state">): Grant | undefined {
  const { registrationUid, account, sharedName, answer, reader } = state?.protocolFacts ?? {};
  const { join } = state ?? {};
  if (join === undefined || registrationUid === undefined || account === undefined || answer === undefined)
    return undefined;
  const { registration, time } = join;
  const names = { registration, registrationUid, account, sharedName: sharedName ?? registration };
  return { ...names, answer, reader: reader ?? "", grantedMs: Date.parse(time) };
}

/** Fleet's agent writes when it was last alive into Fleet's Cluster, under the name of its own cluster. */
export function heartbeatIn(object: KubeObject): Heartbeat | undefined {
  if (resourceTypeOf(object) !== resourceTypes.fleetCluster) return undefined;
  const { name, namespace } = object.metadata;
  const marker = textAt(object, "status", "agent", "lastSeen");
  return marker === undefined || marker === "" || namespace === undefined
    ? undefined
    : { workspace: namespace, cluster: name, marker };
}

/**
 * Fleet's own controllers admitted its agent before the takeover: it sends heartbeats, and the hub has no record of a
 * grant. Only an admitted agent can send a heartbeat.
 */
export function hasPreviousGrant(member: Member): boolean {
  const fleetCluster = fleetClusterOf(member);
  return grantOf(member) === undefined && fleetCluster !== undefined && heartbeatIn(fleetCluster) !== undefined;
}

/** The accounts that Fleet's controllers made for agents of this member, in its namespace. */
export function formerAccountsOf(member: Member): KubeObject[] {
  const home = homeNamespaceOf(member);
  return member.children.filter(
    (child) => resourceTypeOf(child) === resourceTypes.serviceAccount && child.metadata.namespace === home,
  );
}

/** The clientID that an agent of this member reports, as far as the hub knows. */
export function clientIDOf(member: Member): string | undefined {
  const { cluster, state } = member;
  return cluster.spec?.clientID ?? state?.clientID ?? textAt(fleetClusterOf(member), "spec", "clientID");
}

/** An agent may still be waiting for its answer. */
export function isAnswerOpen(grant: Grant, hub: HubFacts): boolean {
  return hub.nowMs < grant.grantedMs + fleetAnswerLifeMs;
}

export function fleetClusterRef({ workspace: namespace, name }: Pick<Member, "workspace" | "name">): ObjectRef {
  return { type: resourceTypes.fleetCluster, namespace, name };
}

export function fleetClusterOf(member: Member): KubeObject | undefined {
  return childByRef(member, fleetClusterRef(member));
}

export function registrationOf(member: Member): KubeObject | undefined {
  const name = member.state?.join?.registration;
  if (name === undefined) return undefined;
  return childByRef(member, { type: resourceTypes.fleetRegistration, namespace: member.workspace, name });
}

/** The binding by which an agent reads contents. It is cluster-scoped: requests of two workspaces may have one name. */
export function contentBindingName({ sharedName }: Grant): string {
  return safeConcatName(sharedName, "content");
}

export function answerRef(grant: Grant): ObjectRef {
  return { type: resourceTypes.secret, namespace: fleetRegistrationNamespace, name: grant.answer };
}

export function homeNamespaceOf({ workspace, name }: Pick<Member, "workspace" | "name">): string {
  return clusterNamespaceName(workspace, name);
}

export function homeNamespaceRef(member: Pick<Member, "workspace" | "name">): ObjectRef {
  return { type: resourceTypes.namespace, name: homeNamespaceOf(member) };
}

/** Its namespace is there and is not being deleted: objects can be created in it. */
export function hasHomeNamespace(member: Member): boolean {
  const namespace = childByRef(member, homeNamespaceRef(member));
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}

/** What its agent is to deploy. */
export function bundleDeploymentsOf(member: Member): readonly KubeObject[] {
  const home = homeNamespaceOf(member);
  return member.children.filter(
    (child) => resourceTypeOf(child) === resourceTypes.fleetBundleDeployment && child.metadata.namespace === home,
  );
}
