import { digestJson } from "../../../core/digest.ts";
import type { MemberState, IssuedCredential } from "../../../model/member-state.ts";
import { credentialSecretName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import type { BootstrapValues, Delivery, MemberFacts, CredentialDue, NewCredential } from "../../join.ts";
import {
  childByRef,
  filledToken,
  isHubInitiated,
  isLeaving,
  isRevoked,
  revokedCredentials,
} from "../../member-state.ts";
import { kubefleetAgentManifest, usesSidecar } from "../manifests/agent-manifest.ts";
import { accountRef, isOwnAccount, isReadyToJoin } from "./member-facts.ts";

const hourMs = 3600_000;

/**
 * Life of a token, and how long its predecessor stays good after the new one was brought. A mounted Secret is current
 * within two minutes and the agent reads it every minute. KubeFleet's sidecar reads it every twelve hours.
 */
function pace(member: Member): { readonly lifeSeconds: number; readonly overlapMs: number } {
  return usesSidecar(member)
    ? { lifeSeconds: 48 * 3600, overlapMs: 13 * hourMs }
    : { lifeSeconds: 24 * 3600, overlapMs: hourMs / 6 };
}

/** The hub brings this member its tokens. */
function isServed(member: Member): boolean {
  return isHubInitiated(member) && isOwnAccount(member) && !isLeaving(member) && !isRevoked(member);
}

/** When the newest token is to have a successor: at half of its life, of the one that the API server granted. */
function renewAtMs({ issuedAt, expiresAt }: IssuedCredential): number {
  return (Date.parse(issuedAt) + Date.parse(expiresAt)) / 2;
}

export function memberCredentialsDue(member: Member, hub: HubFacts): CredentialDue[] {
  const account = accountRef(member);
  if (!isServed(member) || childByRef(member, account) === undefined) return [];
  const { credential, lastCredentialNumber = 0 } = member.state ?? {};
  const isDue = credential === undefined || hub.nowMs >= renewAtMs(credential) || tokenOf(member) === undefined;
  if (!isDue) return [];
  const number = Math.max(lastCredentialNumber, credential?.number ?? 0) + 1;
  const how = {
    kind: "token-request",
    account: account.name,
    expirationSeconds: pace(member).lifeSeconds,
    boundSecret: credentialSecret(member, number),
  } as const;
  const reason = credential === undefined ? "the agent has no token" : "the agent's token is to be renewed";
  return [{ purpose: "working", workspace: member.workspace, how, reason }];
}

/** The token waits in the Secret that it is bound to, until the hub has brought it. */
export function deliverToken(member: Member, credential: NewCredential): Delivery {
  const { how } = credential.due;
  if (how.kind !== "token-request" || how.boundSecret === undefined) return { objects: [], statusWrites: [] };
  const { state = {} } = member;
  const number = Math.max(state.lastCredentialNumber ?? 0, state.credential?.number ?? 0) + 1;
  const { issuedAt, expiresAt = issuedAt, token = "" } = credential;
  const data = { token: Buffer.from(token, "utf8").toString("base64") };
  const renewed: MemberState = {
    ...state,
    credential: { number, issuedAt, expiresAt },
    liveCredentials: [...liveNumbers(state), number].slice(-maxLive),
    lastCredentialNumber: number,
  };
  return { objects: [{ ...how.boundSecret, data }], statusWrites: [], state: renewed };
}

/** Predecessors that could not be brought in time do not pile up. */
const maxLive = 3;

function liveNumbers({ liveCredentials = [] }: MemberState): readonly number[] {
  return liveCredentials;
}

function credentialSecret(member: Member, number: number): KubeObject {
  const { name, namespace } = credentialRef(member, number);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [labelKeys.cluster]: member.name },
    },
    type: "Opaque",
  };
}

function credentialRef({ workspace, name }: Member, number: number): ObjectRef {
  return { type: resourceTypes.secret, namespace: workspace, name: credentialSecretName(name, number) };
}

/** The newest token. */
function tokenOf(member: Member): string | undefined {
  const { credential } = member.state ?? {};
  return credential && filledToken(member, credentialSecretName(member.name, credential.number));
}

/** Tokens that may still be in use: the newest, and those before it until it was brought and the overlap is over. */
export function usableCredentials(member: Member, hub: HubFacts): ObjectRef[] {
  if (!isServed(member)) return [];
  const { state = {} } = member;
  const endMs = predecessorsEndMs(member);
  const isOver = endMs !== undefined && hub.nowMs >= endMs;
  const numbers = liveNumbers(state).filter((number) => !isOver || number === state.credential?.number);
  return numbers.map((number) => credentialRef(member, number));
}

/** When the predecessors of the newest token end; undefined while that was not brought. */
function predecessorsEndMs(member: Member): number | undefined {
  const { credential, install } = member.state ?? {};
  if (credential === undefined || install?.bootstrap !== credential.number) return undefined;
  return Date.parse(install.time) + pace(member).overlapMs;
}

/** When something of the member's credentials is due by time alone. */
export function credentialMoments(member: Member): number[] {
  const { credential } = member.state ?? {};
  if (!isServed(member) || credential === undefined) return [];
  const endMs = predecessorsEndMs(member);
  return [renewAtMs(credential), Date.parse(credential.expiresAt), ...(endMs === undefined ? [] : [endMs])];
}

/** What the hub must install or deliver: the agent that its Cluster declares, with the newest token. */
export function pendingInstall(
  member: Member,
  hub: HubFacts,
  isReady: (member: Member) => boolean = isReadyToJoin,
): { readonly number: number; readonly values: BootstrapValues } | undefined {
  const { install, credential } = member.state ?? {};
  const { paused, agent } = member.cluster.spec ?? {};
  const token = tokenOf(member);
  // An agent that starts before its rights are there is refused, and waits ever longer.
  if (!isServed(member) || !isReady(member) || credential === undefined || token === undefined) return undefined;
  const isCurrent =
    install !== undefined &&
    install.bootstrap === credential.number &&
    (paused === true ||
      (install.redeployGeneration === (agent?.redeployGeneration ?? 0) &&
        install.manifestDigest === digestJson(kubefleetAgentManifest(member, hub))));
  return isCurrent ? undefined : { number: credential.number, values: { token } };
}

export function credentialsFacts(member: Member, hub: HubFacts, hasJoined: boolean): MemberFacts["credentials"] {
  if (isRevoked(member)) return revokedCredentials;
  if (!isOwnAccount(member)) {
    const message = "The agent uses an account that its file names; the hub issues nothing for it and cannot renew it.";
    return { status: "True", reason: "NotRotatable", message };
  }
  if (!isHubInitiated(member)) {
    // The hub knows that an agent has the token only when the agent uses it.
    if (!hasJoined)
      return { status: "Unknown", reason: "NotIssued", message: "No agent has joined with a credential yet." };
    const message = "The agent was given a token that does not end: without a kubeconfig the hub cannot bring another.";
    return { status: "True", reason: "NotRotatable", message };
  }
  const { credential } = member.state ?? {};
  if (credential === undefined) return { status: "Unknown", reason: "NotIssued", message: "No token was issued yet." };
  if (Date.parse(credential.expiresAt) <= hub.nowMs) {
    const message = `The agent's token ended at ${credential.expiresAt}, and the hub could not bring another.`;
    return { status: "False", reason: "Expired", message };
  }
  return { status: "True", reason: "Valid", message: `The newest token ends at ${credential.expiresAt}.` };
}
