import { textAt } from "../../../core/read-json.ts";
import type { MemberState } from "../../../model/member-state.ts";
import {
  createdClusterName,
  credentialSecretName,
  fleetKeys,
  requestAccountName,
} from "../../../model/dialects/fleet.ts";
import type { Cluster } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { toTime } from "../../../planning/conditions.ts";
import type { RegistrationDecision, RegistrationScene } from "../../join.ts";
import { declaredOwners, isLeaving, isRevoked } from "../../member-state.ts";
import { allowedLabels } from "./agent-labels.ts";
import { findAdmissionRule } from "./admission-rule.ts";
import type { AdmissionRule } from "./admission-rule.ts";
import { clientIDOf, grantOf, hasPreviousGrant, isAnswerOpen } from "./member-facts.ts";
import { explainRefusal } from "./refusals.ts";
import { readRequest } from "./registration-request.ts";
import type { ExplainedRefusal, FleetRefusal, FleetRequest } from "./registration-request.ts";

/** A cluster that still parts from the protocol that it had is requeued after this. */
const partingRetryMs = 5_000;
/** Requests of one agent and one second that are granted one after the other; no agent sends so many. */
const mostOvertaken = 8;

/**
 * The decision on a Fleet agent's request. The clientID identifies the agent, and it is no secret. A clientID that was
 * admitted once is admitted again only by a token that names its cluster literally, or by the one that the hub made for
 * that cluster alone. This removes the predecessor's account. A refused request is evaluated again after each change.
 */
export function decideRegistration(
  registration: KubeObject,
  scene: RegistrationScene,
  hub: HubFacts,
): RegistrationDecision {
  if ((registration.metadata.labels?.[fleetKeys.clusterManagement] ?? "") !== "") return { kind: "none" };
  const request = readRequest(registration);
  if (request === undefined) return refuse(registration, "Malformed", explainRefusal("Malformed", {}));
  const { tokenName } = request;
  const owners = declaredOwners(scene.members.find(clientIDOf, request.clientID));
  if (owners.length > 1)
    return refuse(registration, "ClientIDAmbiguous", explainRefusal("ClientIDAmbiguous", { members: owners }));
  const [owner] = owners;
  if (owner !== undefined && isAnswered(owner, request)) return { kind: "none" };
  const predefined = owner === undefined ? predefinedByHand(request, scene) : undefined;
  if (predefined !== undefined) return refuse(registration, "NotInGit", notInGit(predefined));

  const rule = findAdmissionRule(request, scene, hub);
  if (typeof rule === "string") return refuse(registration, rule, explainRefusal(rule, { tokenName }));
  const name = owner?.name ?? rule.onlyName ?? createdClusterName(request.clientID);
  const member = owner ?? scene.members.named(name);
  if (member?.state?.formerProtocol !== undefined) return { kind: "none", recheckAfterMs: partingRetryMs };
  const refusal = member === undefined ? evaluateNew(name, rule) : evaluateMember(member, request, { rule, hub });
  if (refusal !== undefined) {
    const members = member === undefined ? [] : [member];
    return refuse(registration, refusal, explainRefusal(refusal, { tokenName, name, members }));
  }
  if (rule.needsApproval && !isApproved(member, request)) return propose(registration, { request, name, member, rule });
  return {
    kind: "granted",
    clusterName: name,
    ...(member === undefined ? { cluster: newCluster(request, name) } : {}),
    state: rememberedAs(request, { rule, member, hub }),
    notes: allowedLabels(request.labels, rule.agentLabels).notes,
  };
}

/**
 * Fleet's own Cluster with this clientID that a user created on the hub: the agent must become that cluster, and no
 * other.
 */
function predefinedByHand({ clientID }: FleetRequest, scene: RegistrationScene): string | undefined {
  const objects = scene.unowned?.(resourceTypes.fleetCluster) ?? [];
  return objects.find((object) => textAt(object, "spec", "clientID") === clientID)?.metadata.name;
}

function notInGit(name: string): string {
  return (
    `Fleet's Cluster ${name} has this clientID, and no file declares it: the agent waits for it. Commit the Cluster ` +
    `(rollcall import fleet writes its file), or delete it on the hub.`
  );
}

/**
 * This very request was granted, or a newer one of the same agent. Each request is granted once: times of the API server are
 * whole seconds, and two requests of one second would overtake each other for ever.
 */
function isAnswered(member: Member, request: FleetRequest): boolean {
  const grant = grantOf(member);
  if (grant === undefined) return false;
  if (grant.registration === request.name && grant.registrationUid === request.uid) return true;
  const requestedMs = requestedMsOf(member);
  if (request.createdMs !== requestedMs) return request.createdMs < requestedMs;
  const overtaken = overtakenOf(member);
  return overtaken.includes(request.uid) || overtaken.length >= mostOvertaken;
}

function requestedMsOf({ state }: Member): number {
  return Number(state?.protocolFacts?.["requestedMs"] ?? 0);
}

/** Uids of requests that were granted before the current one and are of the same second. */
function overtakenOf({ state }: Member): readonly string[] {
  return (state?.protocolFacts?.["overtaken"] ?? "").split(" ").filter((uid) => uid !== "");
}

/** The same once this request is granted. */
function overtakenBy(request: FleetRequest, member: Member | undefined): Record<string, string> {
  const grant = member === undefined ? undefined : grantOf(member);
  if (member === undefined || grant === undefined || requestedMsOf(member) !== request.createdMs) return {};
  return { overtaken: [...overtakenOf(member), grant.registrationUid].join(" ") };
}

/** It has already joined, or a merged file declares its clientID and thereby approves it. */
function isApproved(member: Member | undefined, { clientID }: FleetRequest): boolean {
  return member !== undefined && (isIn(member) || member.cluster.spec?.clientID === clientID);
}

function isIn(member: Member): boolean {
  return grantOf(member) !== undefined || hasPreviousGrant(member);
}

function evaluateNew(name: string, rule: AdmissionRule): ExplainedRefusal | undefined {
  if (rule.isUsedUp) return "TokenUsedUp";
  return rule.mayCreate(name) ? undefined : "NameNotAllowed";
}

interface Admission {
  readonly rule: AdmissionRule;
  readonly hub: HubFacts;
}

function evaluateMember(member: Member, request: FleetRequest, { rule, hub }: Admission): ExplainedRefusal | undefined {
  if ((member.cluster.spec?.protocol ?? "rollcall") !== "fleet") return "ProtocolMismatch";
  if (isLeaving(member)) return "ClusterLeaving";
  if (isRevoked(member)) return "ClusterRevoked";
  // The agent that the hub installs reports the clientID of the file or of its cluster: it may differ from the previous
  // one.
  const clientID = rule.kind === "import" ? member.cluster.spec?.clientID : clientIDOf(member);
  if (clientID !== undefined && clientID !== request.clientID) return "NameTaken";
  const isFree = !rule.isUsedUp || hasUse(member, { rule, hub });
  if (isIn(member)) return rule.isNamed(member.name) ? (isFree ? undefined : "TokenUsedUp") : "ClientIDTaken";
  // Declared by its name alone: only who may be named so may claim it.
  if (clientID === undefined) return rule.isNamed(member.name) ? undefined : "NameTaken";
  if (rule.isUsedUp) return "TokenUsedUp";
  return rule.mayCreate(member.name) || rule.isNamed(member.name) ? undefined : "NameNotAllowed";
}

/**
 * A use of this token is this member's, and its agent may still wait for the answer: one that gives an attempt up asks again
 * with another text. Later it is another agent that asks.
 */
function hasUse(member: Member, { rule, hub }: Admission): boolean {
  const grant = grantOf(member);
  const isByToken = rule.kind === "token" && member.state?.join?.token === rule.tokenName;
  return isByToken && grant !== undefined && isAnswerOpen(grant, hub);
}

function rememberedAs(
  request: FleetRequest,
  { rule, member, hub }: Admission & { readonly member: Member | undefined },
): MemberState {
  const { name, uid, clientID, clientRandom } = request;
  const { labels } = allowedLabels(request.labels, rule.agentLabels);
  // A declared cluster, and one that is in already, keeps the labels it has.
  const isNew = member === undefined;
  const tokenUse = member !== undefined && hasUse(member, { rule, hub }) ? member.state?.join?.tokenUse : undefined;
  return {
    ...member?.state,
    clientID,
    join: {
      ...(rule.kind === "token" ? { token: rule.tokenName, tokenUse: tokenUse ?? rule.nextUse } : {}),
      time: toTime(hub.nowMs),
      registration: name,
      initiated: rule.kind === "import" ? "hub" : "agent",
    },
    ...(isNew ? { labels: { token: { ...rule.clusterLabels }, agent: labels } } : {}),
    protocolFacts: {
      registrationUid: uid,
      account: requestAccountName(name, uid),
      sharedName: requestAccountName(name, uid),
      answer: credentialSecretName(clientID, clientRandom),
      reader: rule.account,
      requestedMs: String(request.createdMs),
      ...overtakenBy(request, member),
    },
  };
}

function newCluster({ workspace, clientID }: FleetRequest, name: string): Cluster {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: workspace },
    spec: { protocol: "fleet", clientID },
  };
}

interface Proposed {
  readonly request: FleetRequest;
  readonly name: string;
  readonly member: Member | undefined;
  readonly rule: AdmissionRule;
}

/** The file that lets this agent in: its token names it by then, or it is declared with its clientID. */
function propose(registration: KubeObject, { request, name, member, rule }: Proposed): RegistrationDecision {
  const labels = { ...allowedLabels(request.labels, rule.agentLabels).labels, ...member?.cluster.metadata.labels };
  const cluster = newCluster(request, name);
  const metadata = { ...cluster.metadata, ...(Object.keys(labels).length === 0 ? {} : { labels }) };
  const spec = { ...member?.cluster.spec, ...cluster.spec };
  return { kind: "proposal", cluster: { ...cluster, metadata, spec }, write: pendingWrite(registration) };
}

function refuse(registration: KubeObject, reason: FleetRefusal, message: string): RegistrationDecision {
  return { kind: "refused", reason, message, write: pendingWrite(registration) };
}

function pendingWrite({ metadata: { name, namespace } }: KubeObject) {
  const ref = { type: resourceTypes.fleetRegistration, name, ...(namespace === undefined ? {} : { namespace }) };
  return { ref, status: { granted: false } };
}
