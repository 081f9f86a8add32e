import type { ResourceType } from "../../../model/kubernetes.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import { planChildrenOf } from "../../../planning/plan-member.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Kinds of credentials, and of the rights that they have. */
const credentialTypes: ReadonlySet<ResourceType> = new Set([
  resourceTypes.serviceAccount,
  resourceTypes.secret,
  resourceTypes.role,
  resourceTypes.roleBinding,
  resourceTypes.clusterRole,
  resourceTypes.clusterRoleBinding,
]);

/**
 * Deletes the credentials of a revoked member before all else: a grace period, a name that is taken or a write that is refused
 * may end the pass or make it wait, and a revocation waits for nothing.
 */
export async function revokeCredentials({
  member,
  hub,
  protocol,
  write,
}: Pick<MemberScope, "member" | "hub" | "protocol" | "write">): Promise<PhaseResult> {
  if (member.cluster.metadata.annotations?.[annotationKeys.revoked] === undefined) return next;
  const { changes } = planChildrenOf(protocol, { kind: "member", member }, hub);
  const ended = changes.filter(({ kind, ref }) => kind === "delete" && credentialTypes.has(ref.type));
  if (ended.length > 0) await write.execute(ended);
  return next;
}
