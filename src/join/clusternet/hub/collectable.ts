import { textAt } from "../../../core/read-json.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { grantOf } from "./member-facts.ts";
import { workspaceOfRequest } from "./registration-request.ts";

/** A request that waits in vain is taken away after this; an agent that still asks makes it anew when it is started. */
const deniedLifeMs = 30 * 24 * 3600_000;

/**
 * Requests that have served their time, oldest first: answered ones whose cluster has another now or is gone, and those that
 * nobody let in for a month. An answer holds a credential: it does not outlive what it is for. Whom Clusternet's own approver let
 * in said no workspace: such an answer is not ours to take away.
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
