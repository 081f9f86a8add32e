import { smallestOf } from "../../../core/extremes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { isTokenClosed, tokenEndMs, tokenWarningMs } from "../../../planning/token-life.ts";
import { isGranted, isLeaving } from "./member-facts.ts";
import { openRenewal, renewalAllowedAtMs } from "./renewal.ts";

/** When something of the member becomes due by time alone: the end of its bootstrap or credential, a renewal put off. */
export function memberDueAtMs(member: Member, hub: HubFacts): number | undefined {
  if (isLeaving(member)) return undefined;
  const { state } = member;
  const moments = [
    state?.bootstrap === undefined || state.join?.bootstrap === state.bootstrap.number
      ? undefined
      : Date.parse(state.bootstrap.expiresAt),
    isGranted(member) && state?.credential !== undefined ? Date.parse(state.credential.expiresAt) : undefined,
    openRenewal(member, hub) === undefined ? undefined : renewalAllowedAtMs(member, hub),
  ];
  return earliest(moments, hub.nowMs);
}

/** When the token's end is near, then when it ends. */
export function tokenDueAtMs(subject: TokenSubject, hub: HubFacts): number | undefined {
  return isTokenClosed(subject, hub)
    ? undefined
    : earliest([tokenWarningMs(subject, hub), tokenEndMs(subject, hub)], hub.nowMs);
}

function earliest(moments: readonly (number | undefined)[], nowMs: number): number | undefined {
  const future = moments.filter((moment): moment is number => moment !== undefined && moment > nowMs);
  return future.length === 0 ? undefined : smallestOf(future);
}
