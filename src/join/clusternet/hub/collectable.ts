import { textAt } from "../../../core/read-json.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { grantOf } from "./member-facts.ts";
import { workspaceOfRequest } from "./registration-request.ts";

/** An unanswered request is deleted after this time. An agent that still asks creates it again when it restarts. */
const deniedLifeMs = 30 * 24 * 3600_000;

/**
 * Expired requests, oldest first: answered ones whose cluster is deleted or has a newer answer, and those that were not
 * admitted for a month. An answer holds a credential and must not outlive its purpose. A request that Clusternet's own
 * approver admitted names no workspace: Rollcall does not delete its answer.
 */
export function collectableRequests(
  requests: readonly KubeObject[],
  members: readonly Member[],
  hub: HubFacts,
): ObjectRef[] {
  const answered = new Set(members.flatMap((member) => grantOf(member)?.requestUid ?? []));
  return requests
    .filter((request) => {
      const { metadata } = request;
      if (answered.has(metadata.uid ?? "")) return false;
      if (textAt(request, "status", "result") === "Approved") return workspaceOfRequest(request) !== "";
      return hub.nowMs > Date.parse(metadata.creationTimestamp ?? "") + deniedLifeMs;
    })
    .map((request) => refOf(resourceTypes.registrationRequest, request));
}
