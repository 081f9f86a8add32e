import {
  fleetClusterRoles,
  fleetKeys,
  fleetRegistrationNamespace,
  importTokenName,
  safeConcatName,
} from "../../../model/dialects/fleet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { isRevoked, outsideLabels } from "../../member-state.ts";
import { registrarRule } from "./desired-token-objects.ts";
import { renderFleetCluster } from "./fleet-cluster.ts";
import { isImportOpen } from "./import-state.ts";
import { contentBindingName, grantOf, hasHomeNamespace, homeNamespaceOf, isAnswerOpen } from "./member-facts.ts";
import type { Grant } from "./member-facts.ts";
import { renderAccount, renderBinding, renderRole } from "../../render-access.ts";
import type { Subject } from "../../render-access.ts";

/**
 * The objects on the hub that a Fleet agent's cluster has: Fleet's Cluster, the namespace with what it is to deploy, and,
 * once it was admitted, an account with the rights that an agent was seen to use, no more. Not asked for one that leaves.
 */
export function desiredMemberObjects(member: Member, hub: HubFacts): KubeObject[] {
  const base = [renderFleetCluster(member), homeNamespace(member)];
  if (isRevoked(member)) return base;
  const grant = grantOf(member);
  return [
    ...base,
    ...(isImportOpen(member, hub) ? importAccount(member) : []),
    ...(grant === undefined ? [] : grantedObjects(member, grant, hub)),
  ];
}

function homeNamespace(member: Member): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: homeNamespaceOf(member),
      labels: { [fleetKeys.managed]: "true", ...outsideLabels(member) },
      annotations: { [fleetKeys.clusterNamespace]: member.workspace, [fleetKeys.cluster]: member.name },
    },
  };
}

function importAccount({ workspace, name }: Member): KubeObject[] {
  const account = importTokenName(name);
  const place = { name: account, namespace: workspace, labels: childLabels(name) };
  const subject = { kind: "ServiceAccount", name: account, namespace: workspace } as const;
  return [...renderAccount(place), ...renderRole(place, [registrarRule], subject)];
}

/** Nothing is created in the cluster's namespace before that exists. */
function grantedObjects(member: Member, grant: Grant, hub: HubFacts): KubeObject[] {
  const { workspace, name } = member;
  const { registration, account } = grant;
  const subject = { kind: "ServiceAccount", name: account, namespace: workspace } as const;
  const labels = childLabels(name);
  const annotations = {
    [fleetKeys.cluster]: name,
    [fleetKeys.registration]: registration,
    [fleetKeys.registrationNamespace]: workspace,
  };
  const heartbeatRule = {
    apiGroups: ["fleet.cattle.io"],
    resources: ["clusters/status"],
    resourceNames: [name],
    verbs: ["patch"],
  };
  const outside = outsideLabels(member);
  return [
    ...renderAccount({ name: account, namespace: workspace, labels, annotations }),
    ...renderRole({ name: registration, namespace: workspace, labels }, [heartbeatRule], subject),
    renderBinding(
      { name: contentBindingName(grant), labels: outside },
      { kind: "ClusterRole", name: fleetClusterRoles.content },
      subject,
    ),
    ...(hasHomeNamespace(member) ? [homeBinding(member, grant, subject)] : []),
    ...(isAnswerOpen(grant, hub) ? answerAccess(member, grant) : []),
  ];
}

/** What lets the agent read what it is to deploy, and report what became of it. */
function homeBinding(member: Member, { registration }: Grant, subject: Subject): KubeObject {
  return renderBinding(
    { name: registration, namespace: homeNamespaceOf(member), labels: outsideLabels(member) },
    { kind: "ClusterRole", name: fleetClusterRoles.bundleDeployment },
    subject,
  );
}

/**
 * Who asked may read this one answer. An agent that does not name its token (0.15 and older) is one of the
 * workspace's accounts; the name of its answer has a random text in it that only it and the hub know.
 */
function answerAccess(member: Member, { sharedName, answer, reader }: Grant): KubeObject[] {
  const { workspace } = member;
  const subject: Subject =
    reader === ""
      ? { kind: "Group", name: `system:serviceaccounts:${workspace}`, apiGroup: "rbac.authorization.k8s.io" }
      : { kind: "ServiceAccount", name: reader, namespace: workspace };
  const place = {
    name: safeConcatName(sharedName, "creds"),
    namespace: fleetRegistrationNamespace,
    labels: outsideLabels(member),
  };
  return renderRole(
    place,
    [{ apiGroups: [""], resources: ["secrets"], resourceNames: [answer], verbs: ["get"] }],
    subject,
  );
}

function childLabels(clusterName: string): Record<string, string> {
  return { [labelKeys.cluster]: clusterName, [fleetKeys.managed]: "true" };
}
