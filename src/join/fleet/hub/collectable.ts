import { fleetAnswerLifeMs } from "../../../model/dialects/fleet.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isTrueAt } from "../../../core/read-json.ts";
import { readRequest } from "./registration-request.ts";
import { grantOf } from "./member-facts.ts";

/** Unanswered requests that are kept for one agent: only the newest matters. */
const keptPerClient = 1;

/**
 * Expired requests, oldest first: those before the granted one, those that no agent waits for, and all but the newest
 * of an agent that is refused repeatedly. One request stays for each admitted agent.
 */
export function collectableRegistrations(
  registrations: readonly KubeObject[],
  members: readonly Member[],
  hub: HubFacts,
): ObjectRef[] {
  const grants = new Map(
    members.flatMap((member) => {
      const grant = grantOf(member);
      return grant === undefined ? [] : [[grant.registrationUid, member.state?.clientID ?? ""] as const];
    }),
  );
  const grantedClients = new Set(grants.values());
  const newestFirst = registrations
    .flatMap((registration) => {
      const request = readRequest(registration);
      return request === undefined ? [] : [{ registration, request }];
    })
    .sort((a, b) => b.request.createdMs - a.request.createdMs);
  const grantedMs = new Map<string, number>();
  for (const { state } of [...members].reverse())
    if (state?.clientID !== undefined) grantedMs.set(state.clientID, Number(state.protocolFacts?.["requestedMs"] ?? 0));
  const seen = new Map<string, number>();
  const over = newestFirst.filter(({ registration, request }) => {
    if (grants.has(request.uid)) return false;
    // Fleet's controllers hung an agent's rights on the registration that they granted: those go with it.
    if (isTrueAt(registration, "status", "granted")) return grantedClients.has(request.clientID);
    const rank = seen.get(request.clientID) ?? 0;
    seen.set(request.clientID, rank + 1);
    const isOld = hub.nowMs > request.createdMs + fleetAnswerLifeMs;
    const isOvertaken =
      grantedClients.has(request.clientID) && request.createdMs < (grantedMs.get(request.clientID) ?? 0);
    return isOld || isOvertaken || rank >= keptPerClient;
  });
  return over.reverse().map(({ registration }) => refOf(resourceTypes.fleetRegistration, registration));
}
