import { kubefleetGroups, kubefleetKeys } from "../../../model/dialects/kubefleet.ts";
import { withoutEmptyMaps } from "../../../core/json.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { apiVersionOf } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { isHubInitiated, isRevoked, outsideLabels } from "../../member-state.ts";
import type { AccessRule } from "../../render-access.ts";
import { renderAccount, renderBinding } from "../../render-access.ts";
import {
  accountRef,
  hasHome,
  homeNamespaceRef,
  identityOf,
  internalRef,
  isOwnAccount,
  memberClusterRef,
  periodSecondsOf,
  roleBindingRef,
  roleRef,
} from "./member-facts.ts";

const rbac = "rbac.authorization.k8s.io";

/**
 * The objects on the hub of a KubeFleet member: its MemberCluster, its namespace, and inside that, once it exists, the
 * rights of its agent and its InternalMemberCluster. Not called for a leaving member.
 */
export function desiredMemberObjects(member: Member): KubeObject[] {
  const isTrusted = !isRevoked(member);
  return [
    memberCluster(member),
    homeNamespace(member),
    ...(isTrusted && isOwnAccount(member) ? ownAccount(member) : []),
    ...(hasHome(member)
      ? [role(member), ...(isTrusted ? [roleBinding(member)] : []), internalCluster(member, "Join")]
      : []),
  ];
}

/** What is ours where KubeFleet's own hub agent serves the members: the MemberCluster, and the account of its agent. */
export function desiredExternalObjects(member: Member): KubeObject[] {
  return [memberCluster(member), ...(!isRevoked(member) && isOwnAccount(member) ? ownAccount(member) : [])];
}

function memberCluster(member: Member): KubeObject {
  const { spec, metadata } = member.cluster;
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !key.startsWith("rollcall.dev/"));
  const { apiGroup, ...identity } = identityOf(member);
  const { deleteOptions } = spec?.kubefleet ?? {};
  return childOf(member, memberClusterRef(member), {
    labels: { ...Object.fromEntries(own), [kubefleetKeys.memberName]: member.name },
    rest: {
      spec: withoutEmptyMaps({
        identity: { ...identity, ...(apiGroup === undefined ? {} : { apiGroup }) },
        heartbeatPeriodSeconds: periodSecondsOf(member),
        ...(spec?.taints === undefined || spec.taints.length === 0 ? {} : { taints: spec.taints }),
        ...(deleteOptions === undefined ? {} : { deleteOptions }),
      }),
    },
  });
}

function homeNamespace(member: Member): KubeObject {
  return childOf(member, homeNamespaceRef(member), { labels: { [kubefleetKeys.fleetResource]: "true" } });
}

/** The InternalMemberCluster, by which the hub instructs the agent. */
export function internalCluster(member: Member, state: "Join" | "Leave"): KubeObject {
  return childOf(member, internalRef(member), {
    rest: { spec: { state, heartbeatPeriodSeconds: periodSecondsOf(member) } },
  });
}

/**
 * Only the rights that an agent was observed to use: upstream gives it every verb on every kind of two groups. It never
 * changes the spec that the hub writes.
 */
function agentRules({ name }: Member): AccessRule[] {
  const { cluster, placement } = kubefleetGroups;
  return [
    { apiGroups: [cluster], resources: ["internalmemberclusters"], verbs: ["get", "list", "watch"] },
    { apiGroups: [cluster], resources: ["internalmemberclusters/status"], resourceNames: [name], verbs: ["update"] },
    { apiGroups: [placement], resources: ["works"], verbs: ["get", "list", "watch", "update"] },
    { apiGroups: [placement], resources: ["works/status"], verbs: ["update"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  ];
}

function role(member: Member): KubeObject {
  return childOf(member, roleRef(member), { rest: { rules: agentRules(member) } });
}

function roleBinding(member: Member): KubeObject {
  const { kind, name, namespace, apiGroup } = identityOf(member);
  const group = apiGroup === undefined || apiGroup === "" ? rbac : apiGroup;
  const subject =
    kind === "ServiceAccount" ? { kind, name, namespace: namespace ?? "" } : { kind, name, apiGroup: group };
  const { name: bindingName, namespace: home = "" } = roleBindingRef(member);
  const place = { name: bindingName, namespace: home, labels: outsideLabels(member) };
  return renderBinding(place, { kind: "Role", name: roleRef(member).name }, subject);
}

/** With a kubeconfig the hub issues short tokens and brings them; without one it makes a token that does not end. */
function ownAccount(member: Member): KubeObject[] {
  const { name, namespace = "" } = accountRef(member);
  const account = renderAccount({ name, namespace, labels: { [labelKeys.cluster]: member.name } });
  return isHubInitiated(member) ? account.slice(0, 1) : account;
}

function childOf(
  member: Member,
  { type, name, namespace }: ObjectRef,
  parts: { readonly labels?: Readonly<Record<string, string>>; readonly rest?: Readonly<Record<string, unknown>> },
): KubeObject {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...parts.labels, ...outsideLabels(member) },
    },
    ...parts.rest,
  };
}
