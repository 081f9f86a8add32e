import { fleetAnswerLifeMs, fleetKeys } from "../../../model/dialects/fleet.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { isTrueAt, valueAt } from "../../../core/read-json.ts";
import { readRequest, tokenNameOf } from "./registration-request.ts";
import { grantOf } from "./member-facts.ts";

/**
 * Unanswered requests that are kept for one agent of a token: only the newest matters. The holder of another token may name the
 * clientID of any agent, and must not have its request deleted.
 */
const keptPerClient = 1;
/** A request without an answer after this is one that waits: its cluster parts from another protocol. */
const answeredWithinMs = 60_000;
/**
 * Refused and waiting requests that are kept for each token. The holder of its credential can create any number, each with
 * another clientID.
 */
const keptPerToken = 100;

/**
 * Expired requests, oldest first: those before the granted one, those that no agent waits for, all but the newest of an
 * agent that is refused repeatedly, and the oldest of a token with too many. One request stays for each admitted agent.
 */
export function expiredRegistrations(
  registrations: readonly KubeObject[],
  members: Pick<MemberIndex, "find">,
  hub: HubFacts,
): ObjectRef[] {
  const isGrantedClient = (clientID: string): boolean => members.find(grantedClientOf, clientID).length > 0;
  const newestFirst = registrations
    .map((registration) => ({
      registration,
      request: readRequest(registration),
      createdMs: Date.parse(registration.metadata.creationTimestamp ?? "") || 0,
    }))
    .sort((a, b) => b.createdMs - a.createdMs);
  const seen = new Map<string, number>();
  const rankOf = (key: string): number => {
    const rank = seen.get(key) ?? 0;
    seen.set(key, rank + 1);
    return rank;
  };
  const over = newestFirst.filter(({ registration, request, createdMs }) => {
    if (members.find(grantUidOf, registration.metadata.uid ?? "").length > 0) return false;
    // Fleet's controllers hung an agent's rights on the registration that they granted: those go with it.
    if (isTrueAt(registration, "status", "granted")) return request !== undefined && isGrantedClient(request.clientID);
    const isDecided = valueAt(registration, "status", "granted") === false || isForRancher(registration);
    const isCounted = isDecided || hub.nowMs > createdMs + answeredWithinMs;
    // Apart from each other: refused ones must not take the place of those that wait.
    const token = `${isDecided ? "refused" : "waiting"} ${tokenNameOf(registration) ?? ""}`;
    const isSurplus = isCounted && rankOf(token) >= keptPerToken;
    if (isSurplus || hub.nowMs > createdMs + fleetAnswerLifeMs) return true;
    if (request === undefined) return false;
    const isOvertaken = isGrantedClient(request.clientID) && createdMs < requestedMsOf(members, request.clientID);
    return rankOf(`agent ${request.tokenName ?? ""} ${request.clientID}`) >= keptPerClient || isOvertaken;
  });
  return over.reverse().map(({ registration }) => refOf(resourceTypes.fleetRegistration, registration));
}

function grantUidOf(member: Member): string | undefined {
  return grantOf(member)?.registrationUid;
}

function grantedClientOf(member: Member): string | undefined {
  return grantOf(member) === undefined ? undefined : (member.state?.clientID ?? "");
}

function stateClientOf({ state }: Member): string | undefined {
  return state?.clientID;
}

function requestedMsOf(members: Pick<MemberIndex, "find">, clientID: string): number {
  const [member] = members.find(stateClientOf, clientID);
  return Number(member?.state?.protocolFacts?.["requestedMs"] ?? 0);
}

/** One that is never decided here. A sender may set this label, too. */
function isForRancher({ metadata }: KubeObject): boolean {
  return (metadata.labels?.[fleetKeys.clusterManagement] ?? "") !== "";
}
