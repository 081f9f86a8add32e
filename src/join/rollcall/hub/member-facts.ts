import { numberAt, textAt } from "../../../core/read-json.ts";
import {
  credentialSecretName,
  defaultAgentNamespace,
  defaultFailureThreshold,
  defaultHeartbeatSeconds,
  recoverySecretName,
} from "../../../model/dialects/rollcall.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../model/kubernetes.ts";
import type { Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import { keyDigest } from "../messages.ts";

/** Kinds of children by which an agent reaches the hub, in the order in which they are revoked. */
export const credentialKinds: readonly string[] = ["ServiceAccount", "Secret", "RoleBinding", "Role"];

/** A child by kind and exact name: an agent may label its own objects as it likes. */
export function childOf(
  subject: Pick<Member | TokenSubject, "children">,
  type: ResourceType,
  name: string,
): KubeObject | undefined {
  return subject.children.find((child) => child.kind === type.kind && child.metadata.name === name);
}

export function reportOf(member: Member): KubeObject | undefined {
  return childOf(member, resourceTypes.clusterReport, member.name);
}

/** The registration that was granted last, as long as it exists. */
export function registrationNameOf({ state }: Member): string | undefined {
  return state?.join?.registration;
}

export function registrationOf(member: Member): KubeObject | undefined {
  const name = registrationNameOf(member);
  return name === undefined ? undefined : childOf(member, resourceTypes.clusterRegistration, name);
}

/** The recovery account's token, once the hub's API server has filled it in. */
export function recoveryTokenOf(member: Member): string | undefined {
  const keys = member.state?.keys;
  if (keys === undefined) return undefined;
  const name = recoverySecretName(member.name, keyDigest(keys.signing));
  const encoded = textAt(childOf(member, resourceTypes.secret, name), "data", "token");
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

export function isHubInitiated(member: Member): boolean {
  return member.cluster.spec?.kubeConfigSecretRef !== undefined;
}

/** An agent was admitted as this member. */
export function isGranted(member: Member): boolean {
  return member.state?.keys !== undefined && member.state.join !== undefined;
}

export function isLeaving(member: Member): boolean {
  const { metadata } = member.cluster;
  return metadata.annotations?.[annotationKeys.leave] !== undefined || metadata.deletionTimestamp !== undefined;
}

/** The cluster that the member is becoming: its agent is on its way there. */
export function successorKeyOf(member: Member): string | undefined {
  return member.cluster.metadata.annotations?.[annotationKeys.movedTo];
}

/**
 * Why the agent that joined is not the one that the file names. It keeps its credential, which ends by itself, since a mistake in
 * the file must not lock it out, and gets no other one. Undefined where the file names it, or none.
 */
export function otherAgentNamed({ cluster: { spec }, state }: Member): "KeyMismatch" | "ClientIDMismatch" | undefined {
  if (state?.keys === undefined) return undefined;
  const declaredKeys = spec?.identity?.keys ?? [];
  if (declaredKeys.length > 0 && !declaredKeys.includes(keyDigest(state.keys.signing))) return "KeyMismatch";
  return spec?.clientID === undefined || spec.clientID === state.clientID ? undefined : "ClientIDMismatch";
}

export function isRevoked(member: Member): boolean {
  return member.cluster.metadata.annotations?.[annotationKeys.revoked] !== undefined;
}

/** The number of the working credential that the agent reports; 0 when it has reported none. */
export function credentialInUse(member: Member): number {
  return numberAt(reportOf(member), "spec", "credentialNumber") ?? 0;
}

/** The agent has its newest credential: nothing older is needed any more. */
export function hasConfirmed(member: Member): boolean {
  const newest = member.state?.credential?.number;
  return newest !== undefined && credentialInUse(member) === newest;
}

/** Numbers of the working credentials that may still be used. */
export function usableCredentials(member: Member): readonly number[] {
  const { credential, liveCredentials = [] } = member.state ?? {};
  if (credential === undefined) return [];
  return hasConfirmed(member) ? [credential.number] : [...new Set([...liveCredentials, credential.number])];
}

export function credentialRef(member: Member, number: number): ObjectRef {
  return secretRef(member, credentialSecretName(member.name, number));
}

export function secretRef(subject: Pick<Member | TokenSubject, "workspace">, name: string): ObjectRef {
  return { type: resourceTypes.secret, namespace: subject.workspace, name };
}

export function heartbeatOf(member: Member): { periodSeconds: number; windowSeconds: number } {
  const { periodSeconds = defaultHeartbeatSeconds, failureThreshold = defaultFailureThreshold } =
    member.cluster.spec?.heartbeat ?? {};
  return { periodSeconds, windowSeconds: periodSeconds * failureThreshold };
}

/**
 * The agent's namespace downstream: the one that the Cluster declares; otherwise the one that a manually installed
 * agent reports, or the one where the hub installed it.
 */
export function agentNamespaceOf(member: Member): string {
  const declared = member.cluster.spec?.agent?.namespace;
  if (declared !== undefined) return declared;
  const reported = textAt(reportOf(member), "spec", "agentNamespace");
  const isUsable = reported !== undefined && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u.test(reported);
  const { join, install } = member.state ?? {};
  return join?.initiated === "agent" && isUsable ? reported : (install?.namespace ?? defaultAgentNamespace);
}
