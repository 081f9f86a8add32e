import { numberAt, textAt } from "../../../core/read-json.ts";
import { credentialSecretName, rollcallAnnotations, workingName } from "../../../model/dialects/rollcall.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isSignature, renewalMessage } from "../messages.ts";
import { childOf, reportOf } from "./member-facts.ts";

export interface RenewalRequest {
  readonly nonce: number;
  readonly credential: number;
}

/** Far more than any agent needs; whoever can write its report could say anything. */
const highestNumber = 1_000_000_000;

/** One new credential in this time is all an agent needs; whoever can write its report could ask for thousands. */
const shortestIntervalMs = 30_000;

/**
 * The request for a new credential in the member's report that is to be answered: signed by the member's key, and newer than
 * every request answered before. Anything else changes nothing. Which credential it names says nothing: a hub that was put
 * back from an older copy does not know what it issued since, and an agent may be put back too.
 */
export function openRenewal(member: Member, hub: HubFacts): RenewalRequest | undefined {
  const { state, name: cluster, workspace } = member;
  const report = reportOf(member);
  const nonce = numberAt(report, "spec", "renewal", "nonce");
  const credential = numberAt(report, "spec", "renewal", "credential");
  const signature = textAt(report, "spec", "renewal", "signature");
  if (state?.keys === undefined || nonce === undefined || credential === undefined || signature === undefined)
    return undefined;
  if (!Number.isInteger(credential) || credential < 0 || credential > highestNumber) return undefined;
  if (!Number.isSafeInteger(nonce) || nonce <= (state.answeredNonce ?? 0)) return undefined;
  const claims = { hubId: hub.hubId, workspace, cluster, nonce, credential };
  return isSignature(state.keys.signing, renewalMessage(claims), signature) ? { nonce, credential } : undefined;
}

/** When (epoch ms) the next renewal may be answered: at once where somebody deleted what the newest one hangs on. */
export function renewalAllowedAtMs(member: Member): number {
  const { credential } = member.state ?? {};
  if (credential === undefined) return 0;
  const account = childOf(member, resourceTypes.serviceAccount, workingName(member.name));
  const bound = childOf(member, resourceTypes.secret, credentialSecretName(member.name, credential.number));
  const accountUid = bound?.metadata.annotations?.[rollcallAnnotations.accountUid];
  const isOtherAccount = accountUid !== undefined && account?.metadata.uid !== accountUid;
  return bound === undefined || isOtherAccount ? 0 : Date.parse(credential.issuedAt) + shortestIntervalMs;
}
