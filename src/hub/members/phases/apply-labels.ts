import { apiVersionOf } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../../../model/well-known.ts";
import { diffOwnedFields, isAppliedBy, ownedLabelKeys } from "../../../planning/owned-fields.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Labels from token and agent belong to rollcall-hub, where no file or rule names the key. */
export async function applyLabels({ member, write }: Pick<MemberScope, "member" | "write">): Promise<PhaseResult> {
  const { cluster, state } = member;
  const gitKeys = ownedLabelKeys(cluster, fieldManagers.git);
  const remembered = { ...state?.labels?.agent, ...state?.labels?.token };
  const labels = Object.fromEntries(Object.entries(remembered).filter(([key]) => !gitKeys.has(key)));
  const repository = cluster.metadata.labels?.[labelKeys.repository];
  if (!isAppliedBy(cluster, fieldManagers.git) && repository !== undefined) labels[labelKeys.repository] = repository;
  const isEmpty = Object.keys(labels).length === 0;
  if (isEmpty && !isAppliedBy(cluster, fieldManagers.hub)) return next;
  const type = resourceTypes.cluster;
  const object = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    // The API server does not store an empty map, so it would differ for ever.
    metadata: { name: member.name, namespace: member.workspace, ...(isEmpty ? {} : { labels }) },
    ...specOfAdmitted(cluster),
  };
  const differences = diffOwnedFields(object, cluster, { manager: fieldManagers.hub });
  if (differences.some(({ path }) => path.startsWith("metadata.labels"))) await write.apply(object);
  return next;
}

/** The spec that the hub wrote for a cluster that was admitted without a file: an apply without it would remove it. */
function specOfAdmitted(cluster: Member["cluster"]): { spec?: Record<string, string> } {
  const { protocol = "rollcall", clientID } = cluster.spec ?? {};
  if (protocol === "rollcall" || isAppliedBy(cluster, fieldManagers.git)) return {};
  return { spec: { protocol, ...(clientID === undefined ? {} : { clientID }) } };
}
