import { planChildrenOf } from "../../../planning/plan-member.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Children that are in other children: a namespace, and the objects in it. */
const maxRounds = 2;

/** Writes the objects of the member on the hub that its protocol wants, and deletes those that it does not want. */
export async function applyChildren(
  scope: Pick<MemberScope, "member" | "hub" | "protocol" | "write">,
): Promise<PhaseResult> {
  // The objects of a namespace are wanted only when the namespace is there.
  for (let round = 0; round < maxRounds; round++) {
    const { changes } = planChildrenOf(scope.protocol, { kind: "member", member: scope.member }, scope.hub);
    if (changes.length === 0) break;
    await scope.write.execute(changes);
  }
  return next;
}
