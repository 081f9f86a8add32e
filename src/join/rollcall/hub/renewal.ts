import { numberAt, textAt } from "../../../core/read-json.ts";
import { credentialSecretName, rollcallAnnotations, workingName } from "../../../model/dialects/rollcall.ts";
import type { MemberState } from "../../../model/member-state.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isSignature, renewalMessage } from "../messages.ts";
import { childOf, reportOf } from "./member-facts.ts";

export interface RenewalRequest {
  readonly nonce: number;
  readonly credential: number;
}

/** Far more than any agent needs; a client that can write its report can write any number. */
const highestNumber = 1_000_000_000;

/**
 * An agent needs at most one new credential in this time; a client that can write its report could request thousands.
 */
const shortestIntervalMs = 30_000;

/**
 * The request for a new credential in the member's report that must be answered: signed by the member's key, and newer
 * than every request answered before. The credential that it names is ignored: a hub that was restored from an older
 * copy does not know what it issued since, and an agent may be restored too.
 */
export function openRenewal(member: Member, hub: HubFacts): RenewalRequest | undefined {
  const { state, name: cluster, workspace } = member;
  const report = reportOf(member);
  const nonce = numberAt(report, "spec", "renewal", "nonce");
  const credential = numberAt(report, "spec", "renewal", "credential");
  const signature = textAt(report, "spec", "renewal", "signature");
  if (state?.keys === undefined || nonce === undefined || credential === undefined || signature === undefined)
    return undefined;
  if (!Number.isInteger(credential) || credential < 0 || credential > highestHeld(state)) return undefined;
  if (!Number.isSafeInteger(nonce) || nonce <= (state.answeredNonce ?? 0)) return undefined;
  const claims = { hubId: hub.hubId, workspace, cluster, nonce, credential };
  return isSignature(state.keys.signing, renewalMessage(claims), signature) ? { nonce, credential } : undefined;
}

/** Numbers continue from the highest that an agent named, also for the agent that takes its place. */
function highestHeld({ lastCredentialNumber = 0, credential }: MemberState): number {
  return Math.max(highestNumber, lastCredentialNumber, credential?.number ?? 0);
}

/**
 * When (epoch ms) the next renewal may be answered: at once if a user deleted the Secret or account of the newest one, or if
 * that was issued before the hub's clock was set back.
 */
export function renewalAllowedAtMs(member: Member, { nowMs }: HubFacts): number {
  const { credential } = member.state ?? {};
  if (credential === undefined) return 0;
  const account = childOf(member, resourceTypes.serviceAccount, workingName(member.name));
  const bound = childOf(member, resourceTypes.secret, credentialSecretName(member.name, credential.number));
  const accountUid = bound?.metadata.annotations?.[rollcallAnnotations.accountUid];
  const isOtherAccount = accountUid !== undefined && account?.metadata.uid !== accountUid;
  const issuedMs = Date.parse(credential.issuedAt);
  return bound === undefined || isOtherAccount || issuedMs > nowMs ? 0 : issuedMs + shortestIntervalMs;
}
