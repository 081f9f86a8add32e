import type { JsonObject } from "../../../core/json.ts";
import { isJsonEqual } from "../../../core/json.ts";
import { numberAt, objectAt, textAt } from "../../../core/read-json.ts";
import type { Signed } from "../../../model/generated/signed.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { openAnswer, renewalPlace, successorPlace } from "../answers.ts";
import type { HubAnswer } from "../answers.ts";
import type { HubInfo } from "../signed-hub-info.ts";
import { keyNumberOf, openHubInfo } from "../signed-hub-info.ts";
import { keyDigest, renewalMessage, signMessage } from "../messages.ts";
import type { AgentIdentity, HeldCredential, Membership } from "./agent-identity.ts";

/** The share of its life after which a credential is renewed. */
const renewalShare = 2 / 3;
/** No API server issues a token of a shorter life; a hub that answers with one must not be asked again and again. */
const shortestLifeMs = 600_000;

/**
 * The identity with the values of an answer, which came over a connection that proved to be the hub's. Its hub-info is accepted
 * as {@link withHubInfo} describes.
 */
export function withAnswer(identity: AgentIdentity, answer: HubAnswer, nowMs: number): AgentIdentity {
  const { clusterName, credential, recoveryToken, heartbeatPeriodSeconds, hubInfo } = answer;
  const { workspace = identity.workspace } = answer;
  const membership: Membership = {
    clusterName,
    recoveryToken,
    heartbeatPeriodSeconds,
    credential: { ...credential, receivedAtMs: nowMs },
  };
  return withHubInfo({ ...identity, workspace, membership }, hubInfo, { isFromHub: true });
}

/** The identity of an agent that becomes another cluster, together with its previous membership. */
export function withSuccessor(identity: AgentIdentity, answer: HubAnswer, nowMs: number): AgentIdentity {
  const { workspace, membership } = identity;
  return { ...withAnswer(identity, answer, nowMs), ...(membership ? { former: { workspace, membership } } : {}) };
}

/** The identity with a credential that it asked for: the cluster that it is knows it, and there is no way back any more. */
export function withRenewal(identity: AgentIdentity, answer: HubAnswer, nowMs: number): AgentIdentity {
  const { former: _, ...rest } = identity;
  return withAnswer(rest, answer, nowMs);
}

/** The identity before the agent became another cluster; undefined when none is recorded. */
export function withPredecessor({ former, ...identity }: AgentIdentity): AgentIdentity | undefined {
  return former && { ...identity, ...former };
}

/**
 * The identity with the addresses and the trust key of a newer hub-info, and the address before; the same object when it is
 * not newer. E_HUB_INFO when the hub did not sign it: then nothing of it counts. For `isFromHub` see {@link openHubInfo}.
 */
export function withHubInfo(
  identity: AgentIdentity,
  signed: Signed,
  { isFromHub = false }: { readonly isFromHub?: boolean } = {},
): AgentIdentity {
  const info = openHubInfo(signed, identity, { isFromHub });
  if (isOlder(info, identity)) return identity;
  const number = keyNumberOf(info);
  const isOfSameKey = number === keyNumberIn(identity);
  if (isOfSameKey && info.epoch === identity.epoch && identity.hubInfo !== undefined) {
    if (signed.payload === identity.hubInfo.payload) return identity;
    const current = openHubInfo(identity.hubInfo, identity);
    if (Date.parse(info.validFrom) < Date.parse(current.validFrom)) return identity;
  }
  const trusted = number === 1 ? {} : { trustKey: { digest: keyDigest(info.trustKey), number } };
  const { lastEndpoint = identity.endpoints[0], ...rest } = identity;
  const isLeft = lastEndpoint !== undefined && !info.endpoints.some((one) => isJsonEqual(one, lastEndpoint));
  const { endpoints, epoch } = info;
  return { ...rest, ...trusted, endpoints, ...(isLeft ? { lastEndpoint } : {}), epoch, hubInfo: signed };
}

/**
 * True for an info of a copy of the hub from before a restore, or before its trust key was replaced. The number of the key counts
 * first: who stole a key can sign any epoch.
 */
function isOlder(info: HubInfo, identity: AgentIdentity): boolean {
  const [number, known] = [keyNumberOf(info), keyNumberIn(identity)];
  return number < known || ((number === known || known === 0) && info.epoch < identity.epoch);
}

/** Of the key that the agent trusts; 0 where only its digest is known. */
function keyNumberIn({ trustKey }: AgentIdentity): number {
  return trustKey?.number ?? 1;
}

/** The signed hub-info in a report's status or in the public ConfigMap, or undefined. */
export function readSigned(value: unknown): Signed | undefined {
  const payload = textAt(value, "payload");
  const signature = textAt(value, "signature");
  return payload === undefined || signature === undefined ? undefined : { payload, signature };
}

/**
 * True when a report's status is of an old copy of the hub: it carries a signed info of a lower epoch, or of an earlier trust
 * key, than this agent has seen. Nothing in it is acted on.
 */
export function isOutdated(identity: AgentIdentity, report: KubeObject): boolean {
  const signed = readSigned(objectAt(report, "status", "hubInfo"));
  return signed !== undefined && isOlder(openHubInfo(signed, identity, { isFromHub: true }), identity);
}

/** When (own clock) the credential is to be renewed. Only its length counts, so that no clock needs to be right. */
export function renewalDueAtMs(credential: Omit<HeldCredential, "token">): number {
  const lifeMs = Math.max(shortestLifeMs, Date.parse(credential.expiresAt) - Date.parse(credential.issuedAt) || 0);
  return credential.receivedAtMs + lifeMs * renewalShare;
}

/** The nonce of the next request: greater than the last, also after the agent's Secret was restored from a backup. */
export function nextNonce(identity: AgentIdentity, nowMs: number): number {
  return Math.max(identity.lastNonce + 1, nowMs);
}

/** A signed request for the next credential, as `spec.renewal` of the report. */
export function makeRenewal(identity: AgentIdentity, membership: Membership, nonce: number): JsonObject {
  const { hubId, workspace, keys } = identity;
  const { clusterName: cluster } = membership;
  const credential = membership.credential.number;
  const claims = { hubId, workspace, cluster, nonce, credential };
  return { nonce, credential, signature: signMessage(keys.signing.private, renewalMessage(claims)) };
}

/** Where this agent continues, from the report of its current name. E_SEALED when it is not for this agent. */
export function readSuccessor(identity: AgentIdentity, report: KubeObject): HubAnswer | undefined {
  const successor = objectAt(report, "status", "successor");
  const enc = textAt(successor, "sealed", "enc");
  const ciphertext = textAt(successor, "sealed", "ciphertext");
  if (enc === undefined || ciphertext === undefined) return undefined;
  const { hubId, workspace, keys } = identity;
  const place = { hubId, workspace, place: successorPlace(report.metadata.name) };
  return openAnswer({ enc, ciphertext }, place, keys.sealing.private);
}

/** The answer to this request in a report, or undefined while there is none. E_SEALED when it is not for this agent. */
export function readRenewal(identity: AgentIdentity, report: KubeObject, nonce: number): HubAnswer | undefined {
  const renewal = objectAt(report, "status", "renewal");
  const enc = textAt(renewal, "sealed", "enc");
  const ciphertext = textAt(renewal, "sealed", "ciphertext");
  if (numberAt(renewal, "nonce") !== nonce || enc === undefined || ciphertext === undefined) return undefined;
  const { hubId, workspace, keys } = identity;
  const place = { hubId, workspace, place: renewalPlace(report.metadata.name, nonce) };
  return openAnswer({ enc, ciphertext }, place, keys.sealing.private);
}
