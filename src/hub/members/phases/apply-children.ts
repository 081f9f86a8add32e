import { planChildrenOf } from "../../../planning/plan-member.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Children that are in other children: a namespace, and the objects in it. */
const maxRounds = 2;

type FightPorts = Pick<HubPorts, "childFights" | "events"> & { readonly view: Pick<HubPorts["view"], "get"> };

/**
 * Writes the objects of the member on the hub that its protocol wants, and deletes those that it does not want. A field that
 * another writer keeps changing is reverted at once, or a second after the previous revert: rights that it adds do not stay.
 * The Cluster has an Event of it.
 */
export async function applyChildren(
  scope: Pick<MemberScope, "key" | "member" | "hub" | "protocol" | "write">,
  { childFights, events, view }: FightPorts,
): Promise<PhaseResult> {
  // The objects of a namespace are wanted only when the namespace is there.
  for (let round = 0; round < maxRounds; round++) {
    const planned = planChildrenOf(scope.protocol, { kind: "member", member: scope.member }, scope.hub);
    const changes = planned.changes.filter((change) => !childFights.isHeld(scope.key, change));
    if (changes.length === 0) break;
    const done = changes.map((change) => ({ change, before: view.get(change.ref) }));
    await scope.write.execute(changes);
    childFights.record(scope.key, done);
    const message = childFights.describe(scope.key);
    if (message !== undefined)
      events.record({ regarding: scope.member.cluster, type: "Warning", reason: "FieldFight", message });
  }
  return next;
}
