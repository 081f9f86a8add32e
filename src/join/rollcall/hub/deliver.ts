import { AppError } from "../../../core/errors.ts";
import { assertNever } from "../../../core/assert-never.ts";
import type { MemberState, IssuedCredential } from "../../../model/member-state.ts";
import { bootstrapSecretName, internalTokenName, rollcallAnnotations } from "../../../model/dialects/rollcall.ts";
import type { ClusterRegistrationStatus } from "../../../model/generated/cluster-registration.ts";
import type { RenewalAnswer, Successor } from "../../../model/generated/cluster-report.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { tokenEndMs } from "../../../planning/token-life.ts";
import type { Delivery, Entropy, NewCredential, Subject } from "../../join.ts";
import type { AgentValues } from "../agent-values.ts";
import { registrationPlace, renewalPlace, sealAnswer, successorPlace } from "../answers.ts";
import { toBase64 } from "../messages.ts";
import { renderBoundSecret } from "./access.ts";
import { currentBootstrap } from "./bootstrap.ts";
import { endpointsOf, signedHubInfo } from "./hub-info.ts";
import { heartbeatOf, recoveryTokenOf, registrationOf } from "./member-facts.ts";
import { nextCredentialNumber, numberOfCredentialDue } from "./credentials-due.ts";
import { openRenewal } from "./renewal.ts";
import { keptAnswer, reportRef, reportStatus } from "./status-writes.ts";
import { announcedTrustKey, needsTokenSecret, proofKeyOf, valuesSecretOf } from "./token-values.ts";

const plannedToleranceMs = 60_000;

/** Brings an issued credential to its holder: into a Secret of the hub, or sealed into a status that the agent reads. */
export function deliverCredential(
  subject: Subject,
  credential: NewCredential,
  hub: HubFacts,
  entropy: Entropy,
): Delivery {
  switch (subject.kind) {
    case "token":
      return deliverToken(subject.subject, credential, hub);
    case "member":
      return deliverToMember(subject.member, credential, hub, entropy);
    default:
      return assertNever(subject);
  }
}

function deliverToMember(member: Member, credential: NewCredential, hub: HubFacts, entropy: Entropy): Delivery {
  switch (credential.due.purpose) {
    case "bootstrap":
      return deliverBootstrap(member, credential, hub);
    case "working":
      return deliverJoinAnswer(member, credential, hub, entropy);
    case "successor":
      return deliverSuccessor(member, credential, hub, entropy);
    case "renewal":
      return deliverRenewal(member, credential, hub, entropy);
    default:
      throw new AppError("E_BUG", `deliver a credential: unknown purpose ${credential.due.purpose}`);
  }
}

function deliverToken(subject: TokenSubject, credential: NewCredential, hub: HubFacts): Delivery {
  const { name, workspace } = subject;
  const existing = valuesSecretOf(subject);
  const proofKey = proofKeyOf(existing) ?? credential.random;
  const endMs = tokenEndMs(subject, hub);
  const isCapped =
    needsTokenSecret(subject, hub) === false &&
    (credential.expiresAt === undefined || Date.parse(credential.expiresAt) + 1000 < (endMs ?? 0));
  const values = agentValues({ hub, workspace, tokenName: name, credential: tokenOf(credential), proofKey });
  const expires = needsTokenSecret(subject, hub) ? "never" : (credential.expiresAt ?? "never");
  const secret = renderBoundSecret(name, { workspace, labels: { [labelKeys.token]: name } });
  const annotations = {
    [rollcallAnnotations.credentialExpires]: expires,
    ...(isCapped || existing?.metadata.annotations?.[rollcallAnnotations.lifeIsCapped] === "true"
      ? { [rollcallAnnotations.lifeIsCapped]: "true" }
      : {}),
  };
  return { objects: [withValues(secret, { values, proofKey, annotations })], statusWrites: [] };
}

function deliverBootstrap(member: Member, credential: NewCredential, hub: HubFacts): Delivery {
  const { workspace, name } = member;
  const bootstrap = currentBootstrap(member, hub);
  if (bootstrap === undefined) return { objects: [], statusWrites: [] };
  const values = agentValues({
    hub,
    member,
    workspace,
    tokenName: internalTokenName(name),
    credential: tokenOf(credential),
    proofKey: credential.random,
  });
  const secret = renderBoundSecret(bootstrapSecretName(name, bootstrap.number), {
    workspace,
    labels: { [labelKeys.cluster]: name },
  });
  return {
    objects: [withValues(secret, { values, proofKey: credential.random, annotations: {} })],
    statusWrites: [],
    state: { ...member.state, bootstrap: issuedCredential(bootstrap.number, credential) },
  };
}

function deliverJoinAnswer(member: Member, credential: NewCredential, hub: HubFacts, entropy: Entropy): Delivery {
  const registration = registrationOf(member);
  const { state } = member;
  if (registration === undefined || state?.keys === undefined) return { objects: [], statusWrites: [] };
  const issued = issuedCredential(numberOfCredentialDue(member, hub, credential.due), credential);
  const { name } = registration.metadata;
  const status: ClusterRegistrationStatus = {
    observedGeneration: registration.metadata.generation,
    decision: "Granted",
    reason: "Granted",
    message: `The agent is cluster ${member.name}.`,
    clusterName: member.name,
    decidedTime: credential.issuedAt,
    sealedAnswer: sealFor(member, { credential, issued, hub, entropy, place: registrationPlace(name) }),
  };
  const ref = { type: resourceTypes.clusterRegistration, namespace: member.workspace, name };
  return {
    objects: [],
    statusWrites: [{ ref, status }],
    ...(isAsPlanned(state, issued) ? {} : { state: withCredential(state, issued, []) }),
  };
}

/** The hub has recorded it already; a small difference of its lifetime does not matter. */
function isAsPlanned({ credential }: MemberState, issued: IssuedCredential): boolean {
  if (credential?.number !== issued.number) return false;
  return Math.abs(Date.parse(credential.expiresAt) - Date.parse(issued.expiresAt)) <= plannedToleranceMs;
}

function deliverRenewal(member: Member, credential: NewCredential, hub: HubFacts, entropy: Entropy): Delivery {
  const request = openRenewal(member, hub);
  const { state } = member;
  if (request === undefined || state === undefined) return { objects: [], statusWrites: [] };
  const issued = issuedCredential(nextCredentialNumber(member, hub), credential);
  const place = renewalPlace(member.name, request.nonce);
  const sealed = sealFor(member, { credential, issued, hub, entropy, place });
  // The credential in use stays until the agent reports that it has the new one; any between the two were never
  // received.
  const inUse = state.credential === undefined ? [] : [request.credential];
  const next = { ...withCredential(state, issued, inUse), answeredNonce: request.nonce };
  const answer: RenewalAnswer = { nonce: request.nonce, number: issued.number, sealed };
  return {
    objects: [],
    statusWrites: [
      { ref: reportRef(member), status: reportStatus({ ...member, state: next }, hub, { renewal: answer }) },
    ],
    state: next,
  };
}

/** The agent reads it in its current report: that of the previous name. */
function deliverSuccessor(member: Member, credential: NewCredential, hub: HubFacts, entropy: Entropy): Delivery {
  const { state, former } = member;
  if (state?.keys === undefined || former === undefined) return { objects: [], statusWrites: [] };
  const issued = issuedCredential(nextCredentialNumber(member, hub), credential);
  const sealed = sealFor(member, { credential, issued, hub, entropy, place: successorPlace(former.name), former });
  const successor: Successor = { workspace: member.workspace, name: member.name, sealed };
  return {
    objects: [],
    statusWrites: [
      { ref: reportRef(former), status: reportStatus(former, hub, { renewal: keptAnswer(former), successor }) },
    ],
    // One that gets its agent back may have it already, by what that had from before.
    state: withCredential(state, issued, state.credential === undefined ? [] : [state.credential.number]),
  };
}

interface SealInput {
  readonly credential: NewCredential;
  readonly issued: IssuedCredential;
  readonly hub: HubFacts;
  readonly entropy: Entropy;
  readonly place: string;
  /** Whose agent reads it, where that is not the member's own. */
  readonly former?: Member;
}

function sealFor(member: Member, { credential, issued, hub, entropy, place, former = member }: SealInput) {
  return sealAnswer(
    {
      clusterName: member.name,
      ...(former.workspace === member.workspace ? {} : { workspace: member.workspace }),
      credential: { ...workingCredential(issued), token: tokenOf(credential) },
      recoveryToken: recoveryTokenOf(member) ?? "",
      hubInfo: signedHubInfo(hub, member),
      heartbeatPeriodSeconds: heartbeatOf(member).periodSeconds,
    },
    { hubId: hub.hubId, workspace: former.workspace, place },
    { sealingKey: member.state?.keys?.sealing ?? "", ephemeralKey: entropy.bytes(32) },
  );
}

function workingCredential({ number, issuedAt, expiresAt }: IssuedCredential) {
  return { number, issuedAt, expiresAt };
}

function withCredential(state: MemberState, issued: IssuedCredential, older: readonly number[]): MemberState {
  return {
    ...state,
    credential: issued,
    liveCredentials: [...older, issued.number],
    lastCredentialNumber: issued.number,
  };
}

function issuedCredential(number: number, { issuedAt, expiresAt }: NewCredential): IssuedCredential {
  return { number, issuedAt, expiresAt: expiresAt ?? issuedAt };
}

interface ValuesInput {
  readonly hub: HubFacts;
  readonly member?: Member;
  readonly workspace: string;
  readonly tokenName: string;
  readonly credential: string;
  readonly proofKey: Uint8Array;
}

function agentValues({ hub, member, workspace, tokenName, credential, proofKey }: ValuesInput): AgentValues {
  const { url, caBundle } = endpointsOf(member, hub)[0] ?? hub.endpoint;
  return {
    hub: { url, caBundle, id: hub.hubId, ...announcedTrustKey(hub) },
    workspace,
    token: { name: tokenName, credential, proofKey: toBase64(proofKey) },
    ...(member === undefined ? {} : { cluster: { name: member.name, ...declaredClientID(member) } }),
  };
}

/** The clientID that git declares; without it the agent determines its own. */
function declaredClientID({ cluster }: Member): { clientID?: string } {
  const clientID = cluster.spec?.clientID;
  return clientID === undefined ? {} : { clientID };
}

function withValues(
  secret: KubeObject,
  { values, proofKey, annotations }: { values: AgentValues; proofKey: Uint8Array; annotations: Record<string, string> },
): KubeObject {
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations },
    data: {
      values: Buffer.from(JSON.stringify(values, undefined, 2), "utf8").toString("base64"),
      proofKey: toBase64(proofKey),
    },
  };
}

function tokenOf(credential: NewCredential): string {
  if (credential.token === undefined) throw new AppError("E_BUG", "deliver a credential: it was not issued");
  return credential.token;
}
