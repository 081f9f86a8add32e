import type { MemberState, MemberJoin } from "../../../model/member-state.ts";
import { workingLifeSeconds } from "../../../model/dialects/rollcall.ts";
import type { Cluster } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { toTime } from "../../../planning/conditions.ts";
import type { RegistrationDecision, RegistrationScene } from "../../join.ts";
import { allowedAgentLabels } from "./agent-labels.ts";
import type { ProposedLabels } from "./agent-labels.ts";
import { findTarget, evaluateClaim } from "./claim.ts";
import type { Claim } from "./claim.ts";
import { findAdmissionRule } from "./admission-rule.ts";
import type { AdmissionRule } from "./admission-rule.ts";
import { isLeaving, isRevoked, registrationNameOf, successorKeyOf } from "./member-facts.ts";
import { proposalWrite, refusalWrite } from "./refusals.ts";
import type { RefusalReason } from "./refusals.ts";
import { isProvenBy, readRegistration } from "./registration-request.ts";
import type { RegistrationRequest } from "./registration-request.ts";

const waitForTokenMs = 5_000;

/**
 * The decision on a request to join. Only the proof selects the rule. The clientID names the subject, and its keys
 * prove that it may be that subject. A refused request is evaluated again each time: git may have changed.
 */
export function decideRegistration(
  registration: KubeObject,
  scene: RegistrationScene,
  hub: HubFacts,
): RegistrationDecision {
  const { members } = scene;
  const workspace = registration.metadata.namespace ?? "";
  const read = readRegistration(registration);
  const agent = "request" in read ? { keyDigest: read.request.keyDigest } : {};
  const refuse = (reason: RefusalReason, detail = ""): RegistrationDecision => ({
    kind: "refused",
    reason,
    write: refusalWrite(registration, { reason, detail, ...agent, hub }),
  });

  if ("refusal" in read) return refuse(read.refusal);
  const { request } = read;
  if (members.find(registrationNameOf, request.name).some((member) => isAnsweredBy(member, request)))
    return { kind: "none" };

  const finding = findAdmissionRule(request.tokenName, scene, hub);
  if (finding.kind === "wait") return { kind: "none", recheckAfterMs: waitForTokenMs };
  if (finding.kind === "refusal") return refuse(finding.reason);
  const { rule } = finding;
  if (!isProvenBy(registration, rule.proofKey, hub)) return refuse("ProofInvalid");

  const labels = allowedAgentLabels(request.labels ?? {}, rule.agentLabels);
  const target = findTarget(request, rule, members);
  if (target.kind === "refusal") return refuse(target.reason);
  const member = target.kind === "member" ? target.member : undefined;
  // It still parts from the protocol that it had.
  if (member?.state?.formerProtocol !== undefined && (member.cluster.spec?.protocol ?? "rollcall") === "rollcall")
    return { kind: "none", recheckAfterMs: waitForTokenMs };
  const name = target.kind === "member" ? target.member.name : target.name;
  const claim: Claim = member === undefined ? { kind: "first" } : evaluateClaim(request, rule, member);

  if (claim.kind === "refusal") {
    const canBeProposed = claim.reason === "KeyMismatch" || claim.reason === "ClientIDTaken";
    if (rule.needsApproval && canBeProposed && rule.isNamed(name)) {
      return propose({ registration, request, member, name, labels, hub, workspace });
    }
    return refuse(claim.reason, `Cluster ${name}:`);
  }
  if (claim.kind !== "known" && rule.isUsedUp) return refuse("TokenUsedUp");
  if (claim.kind === "first" && rule.needsApproval) {
    return propose({ registration, request, member, name, labels, hub, workspace });
  }
  const state = rememberedAs({ request, rule, member, labels, claim, hub });
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: workspace },
  };
  return {
    kind: "granted",
    clusterName: name,
    ...(member === undefined ? { cluster } : {}),
    state,
    notes: labels.notes,
  };
}

/**
 * Whether the sender holds the values of the token that it names: anyone may name any token. One that has no key yet is
 * believed.
 */
export function isRegistrationProven(registration: KubeObject, scene: RegistrationScene, hub: HubFacts): boolean {
  const read = readRegistration(registration);
  if ("refusal" in read) return false;
  const finding = findAdmissionRule(read.request.tokenName, scene, hub);
  return finding.kind === "rule" ? isProvenBy(registration, finding.rule.proofKey, hub) : finding.kind === "wait";
}

/** This very registration was granted, and its agent is the member, which gets an answer with its next credential. */
function isAnsweredBy(member: Member, request: RegistrationRequest): boolean {
  const { state } = member;
  // No credential is issued to a member that is leaving or revoked: its agent receives the reason.
  if ((isLeaving(member) || isRevoked(member)) && successorKeyOf(member) === undefined) return false;
  return (
    state?.join?.registration === request.name &&
    state.keys?.signing === request.signingKey &&
    state.keys.sealing === request.sealingKey &&
    state.clientID === request.clientID
  );
}

interface Grant {
  readonly request: RegistrationRequest;
  readonly rule: AdmissionRule;
  readonly member: Member | undefined;
  readonly labels: ProposedLabels;
  readonly claim: Claim;
  readonly hub: HubFacts;
}

/**
 * The member's state after the grant. An agent other than the previous one inherits nothing: the predecessor's
 * credentials are deleted with their Secrets, and their numbers are never used again.
 */
function rememberedAs({ request, rule, member, labels, claim, hub }: Grant): MemberState {
  const { rejoin: _, ...before } = member?.state ?? {};
  const isKnown = claim.kind === "known";
  const countedBefore = isKnown ? before.join : undefined;
  const join: MemberJoin = {
    ...(countedBefore === undefined ? rule.mark : markOf(countedBefore)),
    time: toTime(hub.nowMs),
    registration: request.name,
    initiated: countedBefore?.initiated ?? (rule.kind === "internal" ? "hub" : "agent"),
  };
  const identity = {
    clientID: request.clientID,
    keys: { signing: request.signingKey, sealing: request.sealingKey },
    join,
  };
  if (isKnown) return { ...before, ...identity };
  const number = (before.lastCredentialNumber ?? before.credential?.number ?? 0) + 1;
  return {
    ...identity,
    ...plannedCredential(number, hub),
    ...(before.bootstrap === undefined ? {} : { bootstrap: before.bootstrap }),
    ...(before.install === undefined ? {} : { install: before.install }),
    ...(before.installing === undefined ? {} : { installing: before.installing }),
    ...(before.rejoinAt === undefined ? {} : { rejoinAt: before.rejoinAt }),
    labels: { token: { ...rule.clusterLabels }, agent: { ...labels.labels } },
  };
}

/** The first credential is remembered with the grant, before it is issued: that saves a write for each agent. */
function plannedCredential(
  number: number,
  { nowMs }: HubFacts,
): Pick<MemberState, "credential" | "liveCredentials" | "lastCredentialNumber"> {
  const expiresAt = toTime(nowMs + workingLifeSeconds * 1000);
  return {
    credential: { number, issuedAt: toTime(nowMs), expiresAt },
    liveCredentials: [number],
    lastCredentialNumber: number,
  };
}

/** A use that is counted already is not counted again when the same agent asks again. */
function markOf({ token, tokenUse, bootstrap }: MemberJoin): Partial<MemberJoin> {
  return {
    ...(token === undefined ? {} : { token }),
    ...(tokenUse === undefined ? {} : { tokenUse }),
    ...(bootstrap === undefined ? {} : { bootstrap }),
  };
}

interface ProposalInput {
  readonly registration: KubeObject;
  readonly request: RegistrationRequest;
  readonly member: Member | undefined;
  readonly name: string;
  readonly labels: ProposedLabels;
  readonly hub: HubFacts;
  readonly workspace: string;
}

/** The file that lets this agent in once it is merged: it names the agent's key. */
function propose({ registration, request, member, name, labels, hub, workspace }: ProposalInput): RegistrationDecision {
  const before = member?.cluster;
  const clusterLabels = { ...labels.labels, ...before?.metadata.labels };
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      namespace: workspace,
      ...(Object.keys(clusterLabels).length === 0 ? {} : { labels: clusterLabels }),
    },
    spec: { ...before?.spec, clientID: request.clientID, identity: { keys: [request.keyDigest] } },
  };
  return { kind: "proposal", cluster, write: proposalWrite(registration, cluster, hub) };
}
