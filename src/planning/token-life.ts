import { parseGoDuration } from "../core/formats/go-duration.ts";
import { numberAt } from "../core/read-json.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { HubFacts, TokenSubject } from "../model/member.ts";
import { annotationKeys } from "../model/well-known.ts";
import type { MemberIndex } from "./member-index.ts";

/**
 * When the token ends (epoch ms), by its creation on the hub and its `ttl` (Fleet's, where it has one); undefined: never. With a
 * `ttl` that is no duration it has ended already: a mistyped duration must not make a token that never ends.
 */
export function tokenEndMs(subject: TokenSubject, hub: HubFacts): number | undefined {
  const ttl = ttlOf(subject.token);
  if (ttl === undefined) return undefined;
  const { creationTimestamp } = subject.token.metadata;
  const createdMs = creationTimestamp === undefined ? hub.nowMs : Date.parse(creationTimestamp);
  return createdMs + (parseGoDuration(ttl) ?? 0);
}

/** How long a token lives, as its file has it; undefined: without an end. */
export function ttlOf({ spec }: ClusterRegistrationToken): string | undefined {
  const ttl = spec?.fleet?.ttl ?? spec?.ttl ?? "0";
  const ttlMs = parseGoDuration(ttl);
  return ttlMs !== undefined && ttlMs <= 0 ? undefined : ttl;
}

/** From when on (epoch ms) the token's end is near: a tenth of its life before it. Undefined: it does not end. */
export function tokenWarningMs(subject: TokenSubject, hub: HubFacts): number | undefined {
  const endMs = tokenEndMs(subject, hub);
  const created = subject.token.metadata.creationTimestamp;
  if (endMs === undefined || created === undefined) return undefined;
  return endMs - (endMs - Date.parse(created)) / 10;
}

/** No agent is admitted by it any more: it ended, was revoked, or is being deleted. */
export function isTokenClosed(subject: TokenSubject, hub: HubFacts): boolean {
  const { annotations, deletionTimestamp } = subject.token.metadata;
  const endMs = tokenEndMs(subject, hub);
  return (
    deletionTimestamp !== undefined ||
    annotations?.[annotationKeys.revoked] !== undefined ||
    (endMs !== undefined && endMs <= hub.nowMs)
  );
}

/**
 * How often the token was used. The count is in its status and, use by use, in the state of the members that it
 * admitted, so that neither a crash between the two writes nor an offboarding loses one.
 */
export function tokenUses(subject: TokenSubject, members: Pick<MemberIndex, "usesOf">): number {
  return Math.max(numberAt(subject.token, "status", "uses") ?? 0, members.usesOf(subject.name).count);
}

/** True when the status shows that all uses are taken. */
export function isUsedUp(subject: TokenSubject, uses: number): boolean {
  const { maxRegistrations } = subject.token.spec ?? {};
  return maxRegistrations !== undefined && uses >= maxRegistrations;
}
