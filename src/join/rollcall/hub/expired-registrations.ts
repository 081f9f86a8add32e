import { textAt } from "../../../core/read-json.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { hasConfirmed, registrationNameOf } from "./member-facts.ts";
import type { RefusalReason } from "./refusals.ts";

/** Long enough for a person to read why an agent was refused; the agent asks again after it. */
const refusedLifeMs = 10 * 60_000;
const proposedLifeMs = 7 * 24 * 3600_000;
const answeredLifeMs = 60_000;
/** Lifetime of an answer that no agent fetched: its recovery credential still works. */
const unclaimedLifeMs = 7 * 24 * 3600_000;
/** Lifetime of a request that could not be decided: its cluster parts from another protocol, or was made without a file. */
const undecidedLifeMs = 60 * 60_000;
/** A request without a decision after this is one that waits. */
const decidedWithinMs = 60_000;
/** Refused, waiting and proposed registrations that are kept for each token, whose holder can create any number of each. */
const keptPerToken = 50;

/** Registrations that have served their time, oldest first. */
export function expiredRegistrations(
  registrations: readonly KubeObject[],
  members: Pick<MemberIndex, "find">,
  hub: HubFacts,
): ObjectRef[] {
  const grantedTo = new Map(
    registrations.flatMap(({ metadata: { name } }): [string, Member][] => {
      const member = members.find(registrationNameOf, name).at(-1);
      return member === undefined ? [] : [[name, member]];
    }),
  );
  const oldestFirst = [...registrations].sort((a, b) => createdMs(a) - createdMs(b));
  const overFull = new Set(overFullOf(oldestFirst, grantedTo, hub));
  return oldestFirst
    .filter((registration) => overFull.has(registration) || isOver(registration, grantedTo, hub))
    .map((registration) => refOf(resourceTypes.clusterRegistration, registration));
}

function isOver(registration: KubeObject, grantedTo: ReadonlyMap<string, Member>, hub: HubFacts): boolean {
  const member = grantedTo.get(registration.metadata.name);
  if (isUndecided(registration)) return member === undefined && hub.nowMs - createdMs(registration) > undecidedLifeMs;
  const decidedMs = Date.parse(textAt(registration, "status", "decidedTime") ?? "");
  if (Number.isNaN(decidedMs)) return false;
  const ageMs = hub.nowMs - decidedMs;
  switch (textAt(registration, "status", "decision")) {
    case "Granted":
      return member === undefined || ageMs > (hasConfirmed(member) ? answeredLifeMs : unclaimedLifeMs);
    case "Proposed":
      return ageMs > proposedLifeMs;
    default:
      return ageMs > refusedLifeMs;
  }
}

function isUndecided(registration: KubeObject): boolean {
  return textAt(registration, "status", "decision") === undefined;
}

/**
 * The registrations above the limit of a token that no agent waits for: the oldest, but the newest of those that are proposed,
 * since a person may have the older ones under review.
 */
function overFullOf(
  oldestFirst: readonly KubeObject[],
  grantedTo: ReadonlyMap<string, Member>,
  hub: HubFacts,
): KubeObject[] {
  const [byToken, proposed] = [new Map<string, KubeObject[]>(), new Map<string, KubeObject[]>()];
  for (const registration of oldestFirst) {
    if (grantedTo.has(registration.metadata.name)) continue;
    if (isUndecided(registration) && hub.nowMs - createdMs(registration) <= decidedWithinMs) continue;
    // Apart from each other: refused ones must not take the place of those that wait.
    const token = `${isUndecided(registration) ? "waiting" : "refused"} ${tokenOf(registration)}`;
    const lists = textAt(registration, "status", "decision") === "Proposed" ? proposed : byToken;
    const ofToken = lists.get(token) ?? [];
    ofToken.push(registration);
    lists.set(token, ofToken);
  }
  return [
    ...[...byToken.values()].flatMap((ofToken) => ofToken.slice(0, Math.max(0, ofToken.length - keptPerToken))),
    ...[...proposed.values()].flatMap((ofToken) => ofToken.slice(keptPerToken)),
  ];
}

/**
 * The token that it counts against. The name of a token that does not exist, or whose values the sender does not have, is
 * chosen by the sender: all such count as one.
 */
function tokenOf(registration: KubeObject): string {
  const isNobodys = nobodysReasons.has(textAt(registration, "status", "reason") ?? "");
  return isNobodys ? "" : (textAt(registration, "spec", "tokenName") ?? "");
}

const nobodysReasons = new Set<string>([
  "Malformed",
  "UnsupportedVersion",
  "WrongName",
  "UnknownToken",
  "TokenClosed",
  "ProofInvalid",
] satisfies RefusalReason[]);

function createdMs(registration: KubeObject): number {
  return Date.parse(registration.metadata.creationTimestamp ?? "") || 0;
}
