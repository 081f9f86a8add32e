import { objectAt, objectsAt, textAt } from "../../../core/read-json.ts";
import {
  clusternetClusterRoles,
  clusternetCreator,
  clusternetGroup,
  clusternetKeys,
  clusternetNodeLabelPrefix,
  clusternetUnschedulableTaint,
  tokenAccountName,
  requestRoleName,
} from "../../../model/dialects/clusternet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { isRevoked, outsideLabels } from "../../member-state.ts";
import type { Subject } from "../../render-access.ts";
import { renderAccount, renderBinding } from "../../render-access.ts";
import type { TokenCredentials } from "./token-credentials.ts";
import { isImportOpen } from "./import-state.ts";
import {
  agentAccountRef,
  clusterIdOf,
  grantOf,
  hasHome,
  homeBindingRef,
  homeNamespaceOf,
  isAnswerOpen,
  managedClusterOf,
  managedClusterRef,
} from "./member-facts.ts";
import type { Grant } from "./member-facts.ts";

/**
 * The objects on the hub of a Clusternet member: its namespace and, once it is known who it is, its ManagedCluster; of one
 * that was admitted an account with the rights that an agent was seen to use, no more. Not asked for one that leaves.
 */
export function desiredMemberObjects(credentials: TokenCredentials, member: Member, hub: HubFacts): KubeObject[] {
  const clusterId = clusterIdOf(member);
  const place = [
    renderHomeNamespace(member),
    ...(clusterId !== undefined && hasHome(member)
      ? [withTaintOfHub(renderManagedCluster(member, clusterId), managedClusterOf(member))]
      : []),
  ];
  if (isRevoked(member)) return place;
  const grant = grantOf(member);
  return [
    ...place,
    ...(isImportOpen(member, hub) ? importAccount(member) : []),
    ...(grant === undefined ? [] : grantedObjects(member, grant, { credentials, hub })),
  ];
}

export function renderHomeNamespace(member: Member): KubeObject {
  const labels = { [clusternetKeys.createdBy]: clusternetCreator, ...systemLabels(member), ...outsideLabels(member) };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: homeNamespaceOf(member), labels } };
}

function systemLabels(member: Member): Record<string, string> {
  const clusterId = clusterIdOf(member);
  return {
    ...(clusterId === undefined ? {} : { [clusternetKeys.clusterId]: clusterId }),
    [clusternetKeys.clusterName]: member.name,
  };
}

/** Labels with the prefix of node labels are the agent's: it would take away whatever the hub set. */
export function renderManagedCluster(member: Member, clusterId: string): KubeObject {
  const { spec, metadata } = member.cluster;
  const own = Object.entries(metadata.labels ?? {}).filter(
    ([key]) => !key.startsWith("rollcall.dev/") && !key.startsWith(clusternetNodeLabelPrefix),
  );
  const { name, namespace = "" } = managedClusterRef(member);
  const accountGrant = grantOf(member);
  const { clusterType = accountGrant?.clusterType, syncMode = accountGrant?.syncMode ?? "Pull" } =
    spec?.clusternet ?? {};
  const { clusterInitBaseName } = spec?.clusternet ?? {};
  return {
    apiVersion: `${clusternetGroup}/v1beta1`,
    kind: "ManagedCluster",
    metadata: {
      name,
      namespace,
      labels: {
        ...Object.fromEntries(own),
        [clusternetKeys.createdBy]: clusternetCreator,
        ...systemLabels(member),
        ...outsideLabels(member),
      },
    },
    spec: {
      clusterId,
      ...(clusterType === undefined || clusterType === "" ? {} : { clusterType }),
      syncMode,
      ...(clusterInitBaseName === undefined ? {} : { clusterInitBaseName }),
      ...(spec?.taints === undefined || spec.taints.length === 0 ? {} : { taints: spec.taints }),
    },
  };
}

/**
 * Clusternet's scheduler, where it runs, keeps workloads off by this taint. The taint exists while the agent, or the
 * hub for an unresponsive one, reports that the cluster is not ready. Source: clusternet,
 * pkg/controllers/clusters/clusterlifecycle.
 */
function withTaintOfHub(wanted: KubeObject, live: KubeObject | undefined): KubeObject {
  const ready = objectsAt(live, "status", "conditions").find(({ type }) => type === "Ready");
  const status = textAt(ready, "status");
  if (status !== "False" && status !== "Unknown") return wanted;
  const reason = textAt(ready, "reason") ?? "";
  const taint = {
    key: clusternetUnschedulableTaint,
    value: /^\w{1,63}$/u.test(reason) ? reason : "",
    effect: "NoSchedule",
  };
  const own = objectsAt(wanted, "spec", "taints").filter(
    ({ key, effect }) => key !== taint.key || effect !== taint.effect,
  );
  return { ...wanted, spec: { ...objectAt(wanted, "spec"), taints: [...own, taint] } };
}

/** Nothing but its account: the agent is installed with that, and may ask as its cluster alone. */
function importAccount(member: Member): KubeObject[] {
  const account = tokenAccountName(member.name);
  const { workspace, name } = member;
  return [
    ...renderAccount({ name: account, namespace: workspace, labels: { [labelKeys.cluster]: name } }),
    renderBinding(
      { name: `${requestRoleName(workspace, name)}.import`, labels: outsideLabels(member) },
      { kind: "ClusterRole", name: clusternetClusterRoles.request },
      accountOf(member, account),
    ),
  ];
}

/** Requests have no namespace: what an agent may do with its own takes a ClusterRole of its own. */
function grantedObjects(
  member: Member,
  grant: Grant,
  context: { readonly credentials: TokenCredentials; readonly hub: HubFacts },
): KubeObject[] {
  const { workspace, name } = member;
  const { name: account } = agentAccountRef(member, grant);
  const role = { name: requestRoleName(workspace, name), labels: outsideLabels(member) };
  const requests = { apiGroups: [clusternetGroup], resources: ["clusterregistrationrequests"] };
  const agent = accountOf(member, account);
  return [
    ...renderAccount({ name: account, namespace: workspace, labels: { [labelKeys.cluster]: name } }),
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: role,
      rules: [
        { ...requests, verbs: ["create"] },
        { ...requests, resourceNames: [grant.request], verbs: ["get"] },
      ],
    },
    {
      ...renderBinding(role, { kind: "ClusterRole", name: role.name }, agent),
      subjects: [agent, ...readersOf(member, grant, context)],
    },
    ...(hasHome(member) ? [homeBinding(member, agent)] : []),
  ];
}

function homeBinding(member: Member, agent: Subject): KubeObject {
  const { name, namespace = "" } = homeBindingRef(member);
  const place = { name, namespace, labels: outsideLabels(member) };
  return renderBinding(place, { kind: "ClusterRole", name: clusternetClusterRoles.agent }, agent);
}

/** Who may read the answer besides the agent's own account: credentials that were made for this cluster alone. */
function readersOf(
  member: Member,
  grant: Grant,
  { credentials, hub }: { readonly credentials: TokenCredentials; readonly hub: HubFacts },
): Subject[] {
  const { workspace, name: clusterName } = member;
  const { tokenName } = grant;
  const isOfRule = tokenName !== "" && isAnswerOpen(member, grant, hub);
  const installed = isImportOpen(member, hub) ? [accountOf(member, tokenAccountName(clusterName))] : [];
  return [...(isOfRule ? [credentials.holderOf({ workspace, tokenName, clusterName })] : []), ...installed];
}

function accountOf({ workspace }: Member, name: string): Extract<Subject, { kind: "ServiceAccount" }> {
  return { kind: "ServiceAccount", name, namespace: workspace };
}
