import { textAt } from "../../../core/read-json.ts";
import type { MemberState } from "../../../model/member-state.ts";
import type { Cluster } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { toTime } from "../../../planning/conditions.ts";
import type { RegistrationDecision, RegistrationScene } from "../../join.ts";
import { allowedForeignLabels } from "../../foreign-labels.ts";
import { isLeaving, isRevoked } from "../../member-state.ts";
import { findAdmissionRule } from "./admission-rule.ts";
import type { AdmissionRule } from "./admission-rule.ts";
import { clusterIdOf, grantOf } from "./member-facts.ts";
import type { Grant } from "./member-facts.ts";
import { readRequest, tokenOfRequest, workspaceOfRequest } from "./registration-request.ts";
import type { ClusternetRefusal, ClusternetRequest } from "./registration-request.ts";

/** A grant that is younger may not be answered yet. */
const settleMs = 60_000;

/**
 * The decision on the request of a Clusternet agent. An admission policy proved that the account of this cluster made
 * it. An agent that has already joined under the same id gets its existing credential again. Another id for a name that
 * is taken is admitted only by a file. A refused request is evaluated again after each change: the agent keeps asking,
 * and notices an approval.
 */
export function decideRegistration(
  registration: KubeObject,
  scene: RegistrationScene,
  hub: HubFacts,
): RegistrationDecision {
  const request = readRequest(registration);
  if (typeof request === "string") return refuse(registration, { reason: "Malformed", message: request });
  const member = scene.members.named(request.clusterName);
  const grant = member && grantOf(member);
  const isIn = grant !== undefined && grant.clusterId === request.clusterId;
  if (isIn && grant.requestUid === request.uid && !isRefusedSince(registration, grant, hub)) return { kind: "none" };

  const rule = findAdmissionRule({ request, tokenName: tokenOfRequest(registration) }, scene, hub);
  const isImport = "kind" in rule && rule.kind === "import";
  const refusal =
    evaluateMember(member, request, { members: scene.members, isImport }) ??
    (isIn ? undefined : refusalByRule(rule, member, request));
  if (refusal !== undefined) return refuse(registration, refusal);
  const hasRule = !("reason" in rule);
  if (!isIn && hasRule && rule.needsApproval && member?.cluster.spec?.clientID !== request.clusterId)
    return propose(registration, { request, member, rule });
  return {
    kind: "granted",
    clusterName: request.clusterName,
    ...(member === undefined ? { cluster: newCluster(registration, request) } : {}),
    state: rememberedAs(request, { rule: hasRule ? rule : undefined, member, hub }),
    notes: hasRule ? allowedForeignLabels(request.labels, { allowedKeys: rule.agentLabels }).notes : [],
  };
}

/** It was revoked, and is trusted again: its agent has to read the answer once more. */
function isRefusedSince(registration: KubeObject, grant: Grant, hub: HubFacts): boolean {
  return textAt(registration, "status", "result") === "Denied" && hub.nowMs > grant.grantedMs + settleMs;
}

function evaluateMember(
  member: Member | undefined,
  { clusterId, clusterName }: ClusternetRequest,
  scene: { readonly members: MemberIndex; readonly isImport: boolean },
): ClusternetRefusal | undefined {
  const other = scene.members
    .find(clusterIdOf, clusterId)
    .find(({ name, cluster }) => name !== clusterName && cluster.spec?.protocol === "clusternet");
  if (other !== undefined)
    return { reason: "ClientIDTaken", message: `id ${clusterId} is that of cluster ${other.name} already` };
  if (member === undefined) return undefined;
  const is = `cluster ${clusterName}`;
  if ((member.cluster.spec?.protocol ?? "rollcall") !== "clusternet")
    return { reason: "ProtocolMismatch", message: `${is} is declared with another protocol` };
  if (isLeaving(member)) return { reason: "ClusterLeaving", message: `${is} leaves the fleet` };
  if (isRevoked(member))
    return { reason: "ClusterRevoked", message: `${is} was revoked; change its file to let it in again` };
  // The agent that the hub installs has the id of its cluster, unless the file declares another one.
  const known = scene.isImport ? member.cluster.spec?.clientID : clusterIdOf(member);
  if (known === undefined || known === clusterId) return undefined;
  const remedy = `set spec.clientID: ${clusterId} in its file to let this one in instead`;
  return { reason: "NameTaken", message: `${is} has id ${known}: ${remedy}` };
}

function refusalByRule(
  rule: AdmissionRule | ClusternetRefusal,
  member: Member | undefined,
  { clusterName }: ClusternetRequest,
): ClusternetRefusal | undefined {
  if ("reason" in rule) return rule;
  if (!rule.isNamed(clusterName))
    return { reason: "NameNotAllowed", message: `token ${rule.tokenName} does not name cluster ${clusterName}` };
  const isFirst = member === undefined || grantOf(member) === undefined;
  return isFirst && rule.isUsedUp
    ? { reason: "TokenUsedUp", message: `all registrations of token ${rule.tokenName} are taken` }
    : undefined;
}

interface Remembered {
  readonly rule: AdmissionRule | undefined;
  readonly member: Member | undefined;
  readonly hub: HubFacts;
}

function rememberedAs(request: ClusternetRequest, { rule, member, hub }: Remembered): MemberState {
  const { name, uid, clusterId, clusterType, syncMode } = request;
  const { state } = member ?? {};
  const isSame = state?.clientID === clusterId && state.join !== undefined;
  const use = rule?.kind === "token" ? { token: rule.tokenName, tokenUse: rule.nextUse } : {};
  const initiated = rule?.kind === "import" ? ("hub" as const) : ("agent" as const);
  const join = isSame ? { ...state.join, initiated: state.join?.initiated ?? initiated } : { ...use, initiated };
  const proposed = allowedForeignLabels(request.labels, { allowedKeys: rule?.agentLabels });
  // A declared cluster, and one that is in already, keeps the labels it has.
  const labels = member === undefined ? { token: { ...rule?.clusterLabels }, agent: proposed.labels } : undefined;
  return {
    ...state,
    clientID: clusterId,
    join: { ...join, time: toTime(hub.nowMs), registration: name },
    ...(labels === undefined ? {} : { labels }),
    protocolFacts: { requestUid: uid, clusterId, clusterType, syncMode, door: rule?.tokenName ?? "" },
  };
}

function newCluster(registration: KubeObject, { clusterId, clusterName }: ClusternetRequest): Cluster {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: clusterName, namespace: workspaceOfRequest(registration) },
    spec: { protocol: "clusternet", clientID: clusterId },
  };
}

/** The file that lets this agent in: it declares the cluster with its id. */
function propose(
  registration: KubeObject,
  {
    request,
    member,
    rule,
  }: { readonly request: ClusternetRequest; readonly member: Member | undefined; readonly rule: AdmissionRule },
): RegistrationDecision {
  const proposed = allowedForeignLabels(request.labels, { allowedKeys: rule.agentLabels }).labels;
  const labels = { ...proposed, ...member?.cluster.metadata.labels };
  const cluster = newCluster(registration, request);
  const metadata = { ...cluster.metadata, ...(Object.keys(labels).length === 0 ? {} : { labels }) };
  const spec = { ...member?.cluster.spec, ...cluster.spec };
  const waiting = `waits for a file that declares cluster ${request.clusterName} with spec.clientID: ${request.clusterId}`;
  return {
    kind: "proposal",
    cluster: { ...cluster, metadata, spec },
    write: statusWrite(registration, { errorMessage: waiting }),
  };
}

function refuse(registration: KubeObject, { reason, message }: ClusternetRefusal): RegistrationDecision {
  return {
    kind: "refused",
    reason,
    message,
    write: statusWrite(registration, { result: "Denied", errorMessage: message }),
  };
}

function statusWrite({ metadata: { name } }: KubeObject, status: Readonly<Record<string, string>>) {
  return { ref: { type: resourceTypes.registrationRequest, name }, status };
}
