import { largestOf } from "../core/extremes.ts";
import { parseGoDuration } from "../core/duration.ts";
import { numberAt } from "../core/read-json.ts";
import type { HubFacts, Member, TokenSubject } from "../model/member.ts";
import { annotationKeys } from "../model/well-known.ts";

/** When the token ends (epoch ms), by its creation on the hub and its `ttl` (Fleet's, where it has one); undefined: never. */
export function tokenEndMs(subject: TokenSubject, hub: HubFacts): number | undefined {
  const { spec } = subject.token;
  const ttl = spec?.fleet?.ttl ?? spec?.ttl;
  const ttlMs = ttl === undefined || ttl === null ? 0 : (parseGoDuration(ttl) ?? 0);
  if (ttlMs <= 0) return undefined;
  const { creationTimestamp } = subject.token.metadata;
  return (creationTimestamp === undefined ? hub.nowMs : Date.parse(creationTimestamp)) + ttlMs;
}

/** From when on (epoch ms) the token's end is near: a tenth of its life before it. Undefined: it does not end. */
export function tokenWarningMs(subject: TokenSubject, hub: HubFacts): number | undefined {
  const endMs = tokenEndMs(subject, hub);
  const created = subject.token.metadata.creationTimestamp;
  if (endMs === undefined || created === undefined) return undefined;
  return endMs - (endMs - Date.parse(created)) / 10;
}

/** Nobody comes in by it any more: it ended, was revoked, or is being deleted. */
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
 * How often the token was used. The count stands in its status and, use by use, in the memory of whoever came in by it,
 * so that neither a crash between the two writes nor a leave loses one.
 */
export function tokenUses(subject: TokenSubject, members: readonly Member[]): number {
  const remembered = members
    .map(({ memory }) => memory?.join)
    .filter((join) => join?.token === subject.name)
    .map((join) => join?.tokenUse ?? 0);
  return largestOf([numberAt(subject.token, "status", "uses") ?? 0, ...remembered, 0]);
}

/** True when the status says so: all uses are taken. */
export function isUsedUp(subject: TokenSubject, uses: number): boolean {
  const { maxRegistrations } = subject.token.spec ?? {};
  return maxRegistrations !== undefined && uses >= maxRegistrations;
}
