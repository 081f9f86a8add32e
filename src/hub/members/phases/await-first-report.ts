import { findCondition } from "../../../planning/conditions.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberPorts, MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";

/**
 * An agent that was just admitted reports in a moment: one write of the status covers both. The status of an agent that does
 * not report is written after this time.
 */
const firstReportMs = 10_000;

/** Waits for the first report of an agent so that one status write covers both, and for answers that other agents wait for. */
export function awaitFirstReport(
  scope: MemberScope,
  {
    pendingAdmissions,
    health,
  }: Pick<MemberPorts, "pendingAdmissions"> & { readonly health: Pick<HubPorts["health"], "begin"> },
): PhaseResult {
  const { member, protocol, hub, key } = scope;
  const reportsInMs = firstReportDueMs(scope);
  if (reportsInMs > 0 && scope.install?.kind !== "failed") return done(reportsInMs);
  const isJoined = findCondition(member.cluster.status?.conditions, "Joined")?.status === "True";
  if (isJoined || !protocol.factsOf(member, hub).hasJoined) return next;
  const heldBackMs = pendingAdmissions.holdBackMs(key);
  if (heldBackMs > 0) return done(heldBackMs);
  health.begin(key);
  return next;
}

/** Milliseconds for which the first report may still come; 0 when it came or is late. */
function firstReportDueMs({ member, protocol, hub }: MemberScope): number {
  const { join, credential } = member.state ?? {};
  if (join === undefined || protocol.factsOf(member, hub).hasJoined) return 0;
  const passedMs = hub.nowMs - Date.parse(credential?.issuedAt ?? join.time);
  return passedMs < 0 ? 0 : Math.max(0, firstReportMs - passedMs);
}
