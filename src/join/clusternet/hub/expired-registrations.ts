import { textAt } from "../../../core/read-json.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { clusterIdOf, grantOf } from "./member-facts.ts";
import { tokenOfRequest, workspaceOfRequest } from "./registration-request.ts";

/** An unanswered request is deleted after this time. An agent that still asks creates it again when it restarts. */
const deniedLifeMs = 30 * 24 * 3600_000;
/**
 * Those of them that are kept for each cluster of a token. The holder of its credential can create any number, each with
 * another id; an admission policy holds it to the token and the cluster.
 */
const keptPerCluster = 20;

/**
 * Expired requests, oldest first: answered ones whose cluster is deleted or has a newer answer, and those that were not
 * admitted for a month, are too many for one cluster, or have the id of another one. An answer holds a credential and must
 * not outlive its purpose. A request that Clusternet's own approver admitted names no workspace: Rollcall does not delete
 * its answer.
 */
export function expiredRequests(
  requests: readonly KubeObject[],
  members: Pick<MemberIndex, "find">,
  hub: HubFacts,
): ObjectRef[] {
  const newestFirst = [...requests].sort((one, other) => (createdMs(other) || 0) - (createdMs(one) || 0));
  const kept = new Map<string, number>();
  return newestFirst
    .filter((request) => {
      if (members.find(requestUidOf, request.metadata.uid ?? "").length > 0) return false;
      if (textAt(request, "status", "result") === "Approved") return workspaceOfRequest(request) !== "";
      return (
        isSurplus(request, kept) || hasNameOfOther(request, members) || hub.nowMs > createdMs(request) + deniedLifeMs
      );
    })
    .reverse()
    .map((request) => refOf(resourceTypes.registrationRequest, request));
}

function requestUidOf(member: Member): string | undefined {
  return grantOf(member)?.requestUid;
}

/** Counts it, and returns whether enough of its token and cluster are kept. One that has had no decision does not count. */
function isSurplus(request: KubeObject, kept: Map<string, number>): boolean {
  if (!isDecided(request)) return false;
  // Without a workspace its cluster is the sender's to choose: all such count as one.
  const workspace = workspaceOfRequest(request);
  const place = [workspace, tokenOfRequest(request), textAt(request, "spec", "clusterName")];
  const key = workspace === "" ? "" : JSON.stringify(place);
  const count = (kept.get(key) ?? 0) + 1;
  kept.set(key, count);
  return count > keptPerCluster;
}

/**
 * Refused because another cluster of the workspace has its id. It has the name that the request of that cluster's agent needs,
 * which would find it and wait for its answer, for which it has no right.
 */
function hasNameOfOther(request: KubeObject, members: Pick<MemberIndex, "find">): boolean {
  if (!isDecided(request)) return false;
  const clusterName = textAt(request, "spec", "clusterName");
  return members
    .find(clusterIdOf, textAt(request, "spec", "clusterId") ?? "")
    .some(({ name, cluster }) => name !== clusterName && cluster.spec?.protocol === "clusternet");
}

function isDecided(request: KubeObject): boolean {
  return (textAt(request, "status", "errorMessage") ?? "") !== "";
}

function createdMs({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? "");
}
