import { AppError } from "../../../core/errors.ts";
import { assertNever } from "../../../core/assert-never.ts";
import type { ClusterMemory, IssuedCredential } from "../../../model/cluster-memory.ts";
import { bootstrapSecretName, internalTokenName, rollcallAnnotations } from "../../../model/dialects/rollcall.ts";
import type { ClusterRegistrationStatus } from "../../../model/generated/cluster-registration.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { tokenEndMs } from "../../../planning/token-life.ts";
import type { Delivery, Entropy, MintedCredential, Subject } from "../../join.ts";
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
import { needsTokenSecret, proofKeyOf, valuesSecretOf } from "./token-values.ts";

const plannedToleranceMs = 60_000;

/** Brings a minted credential to its holder: into a Secret of the hub, or sealed into a status that the agent reads. */
export function deliverMinted(subject: Subject, minted: MintedCredential, hub: HubFacts, entropy: Entropy): Delivery {
  switch (subject.kind) {
    case "token":
      return deliverToken(subject.subject, minted, hub);
    case "member":
      return deliverToMember(subject.member, minted, hub, entropy);
    default:
      return assertNever(subject);
  }
}

function deliverToMember(member: Member, minted: MintedCredential, hub: HubFacts, entropy: Entropy): Delivery {
  switch (minted.due.purpose) {
    case "bootstrap":
      return deliverBootstrap(member, minted, hub);
    case "working":
      return deliverJoinAnswer(member, minted, hub, entropy);
    case "successor":
      return deliverSuccessor(member, minted, hub, entropy);
    case "renewal":
      return deliverRenewal(member, minted, hub, entropy);
    default:
      throw new AppError("E_BUG", `deliver a credential: unknown purpose ${minted.due.purpose}`);
  }
}

function deliverToken(subject: TokenSubject, minted: MintedCredential, hub: HubFacts): Delivery {
  const { name, workspace } = subject;
  const existing = valuesSecretOf(subject);
  const proofKey = proofKeyOf(existing) ?? minted.random;
  const endMs = tokenEndMs(subject, hub);
  const isCapped =
    needsTokenSecret(subject, hub) === false &&
    (minted.expiresAt === undefined || Date.parse(minted.expiresAt) + 1000 < (endMs ?? 0));
  const values = agentValues({ hub, workspace, tokenName: name, credential: tokenOf(minted), proofKey });
  const expires = needsTokenSecret(subject, hub) ? "never" : (minted.expiresAt ?? "never");
  const secret = renderBoundSecret(name, { workspace, labels: { [labelKeys.token]: name } });
  const annotations = {
    [rollcallAnnotations.credentialExpires]: expires,
    ...(isCapped || existing?.metadata.annotations?.[rollcallAnnotations.lifeIsCapped] === "true"
      ? { [rollcallAnnotations.lifeIsCapped]: "true" }
      : {}),
  };
  return { objects: [withValues(secret, { values, proofKey, annotations })], statusWrites: [] };
}

function deliverBootstrap(member: Member, minted: MintedCredential, hub: HubFacts): Delivery {
  const { workspace, name } = member;
  const bootstrap = currentBootstrap(member, hub);
  if (bootstrap === undefined) return { objects: [], statusWrites: [] };
  const values = agentValues({
    hub,
    member,
    workspace,
    tokenName: internalTokenName(name),
    credential: tokenOf(minted),
    proofKey: minted.random,
  });
  const secret = renderBoundSecret(bootstrapSecretName(name, bootstrap.number), {
    workspace,
    labels: { [labelKeys.cluster]: name },
  });
  return {
    objects: [withValues(secret, { values, proofKey: minted.random, annotations: {} })],
    statusWrites: [],
    memory: { ...member.memory, bootstrap: issuedCredential(bootstrap.number, minted) },
  };
}

function deliverJoinAnswer(member: Member, minted: MintedCredential, hub: HubFacts, entropy: Entropy): Delivery {
  const registration = registrationOf(member);
  const { memory } = member;
  if (registration === undefined || memory?.keys === undefined) return { objects: [], statusWrites: [] };
  const issued = issuedCredential(numberOfCredentialDue(member, hub, minted.due), minted);
  const { name } = registration.metadata;
  const status: ClusterRegistrationStatus = {
    observedGeneration: registration.metadata.generation,
    decision: "Granted",
    reason: "Granted",
    message: `The agent is cluster ${member.name}.`,
    clusterName: member.name,
    decidedTime: minted.issuedAt,
    sealedAnswer: sealFor(member, { minted, issued, hub, entropy, place: registrationPlace(name) }),
  };
  const ref = { type: resourceTypes.clusterRegistration, namespace: member.workspace, name };
  return {
    objects: [],
    statusWrites: [{ ref, status }],
    ...(isAsPlanned(memory, issued) ? {} : { memory: withCredential(memory, issued, []) }),
  };
}

/** The hub remembers it already; a moment more or less of its life makes no difference to anybody. */
function isAsPlanned({ credential }: ClusterMemory, issued: IssuedCredential): boolean {
  if (credential?.number !== issued.number) return false;
  return Math.abs(Date.parse(credential.expiresAt) - Date.parse(issued.expiresAt)) <= plannedToleranceMs;
}

function deliverRenewal(member: Member, minted: MintedCredential, hub: HubFacts, entropy: Entropy): Delivery {
  const request = openRenewal(member, hub);
  const { memory } = member;
  if (request === undefined || memory === undefined) return { objects: [], statusWrites: [] };
  const issued = issuedCredential(nextCredentialNumber(member, hub), minted);
  const place = renewalPlace(member.name, request.nonce);
  const sealed = sealFor(member, { minted, issued, hub, entropy, place });
  // What the agent works with stays until it says that it has the new one; anything between the two was never received.
  const inUse = memory.credential === undefined ? [] : [request.credential];
  const next = { ...withCredential(memory, issued, inUse), answeredNonce: request.nonce };
  const answer = { nonce: request.nonce, number: issued.number, sealed };
  return {
    objects: [],
    statusWrites: [
      { ref: reportRef(member), status: reportStatus({ ...member, memory: next }, hub, { renewal: answer }) },
    ],
    memory: next,
  };
}

/** The agent reads it in the report that it has: that of the former name. */
function deliverSuccessor(member: Member, minted: MintedCredential, hub: HubFacts, entropy: Entropy): Delivery {
  const { memory, former } = member;
  if (memory?.keys === undefined || former === undefined) return { objects: [], statusWrites: [] };
  const issued = issuedCredential(nextCredentialNumber(member, hub), minted);
  const sealed = sealFor(member, { minted, issued, hub, entropy, place: successorPlace(former.name), former });
  const successor = { workspace: member.workspace, name: member.name, sealed };
  return {
    objects: [],
    statusWrites: [
      { ref: reportRef(former), status: reportStatus(former, hub, { renewal: keptAnswer(former), successor }) },
    ],
    // One that gets its agent back may have it already, by what that had from before.
    memory: withCredential(memory, issued, memory.credential === undefined ? [] : [memory.credential.number]),
  };
}

interface SealInput {
  readonly minted: MintedCredential;
  readonly issued: IssuedCredential;
  readonly hub: HubFacts;
  readonly entropy: Entropy;
  readonly place: string;
  /** Whose agent reads it, where that is not the member's own. */
  readonly former?: Member;
}

function sealFor(member: Member, { minted, issued, hub, entropy, place, former = member }: SealInput) {
  return sealAnswer(
    {
      clusterName: member.name,
      ...(former.workspace === member.workspace ? {} : { workspace: member.workspace }),
      credential: { ...workingCredential(issued), token: tokenOf(minted) },
      recoveryToken: recoveryTokenOf(member) ?? "",
      hubInfo: signedHubInfo(hub, member),
      heartbeatPeriodSeconds: heartbeatOf(member).periodSeconds,
    },
    { hubId: hub.hubId, workspace: former.workspace, place },
    { sealingKey: member.memory?.keys?.sealing ?? "", ephemeralKey: entropy.bytes(32) },
  );
}

function workingCredential({ number, issuedAt, expiresAt }: IssuedCredential) {
  return { number, issuedAt, expiresAt };
}

function withCredential(memory: ClusterMemory, issued: IssuedCredential, older: readonly number[]): ClusterMemory {
  return {
    ...memory,
    credential: issued,
    liveCredentials: [...older, issued.number],
    lastCredentialNumber: issued.number,
  };
}

function issuedCredential(number: number, { issuedAt, expiresAt }: MintedCredential): IssuedCredential {
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
    hub: { url, caBundle, id: hub.hubId },
    workspace,
    token: { name: tokenName, credential, proofKey: toBase64(proofKey) },
    ...(member === undefined ? {} : { cluster: { name: member.name, ...declaredClientID(member) } }),
  };
}

/** What git says that the cluster calls itself; without it the agent finds out. */
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

function tokenOf(minted: MintedCredential): string {
  if (minted.token === undefined) throw new AppError("E_BUG", "deliver a credential: it was not minted");
  return minted.token;
}
