import type { ClusterName } from "../../../model/member-state.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";
import { successorOf } from "../successor.ts";

/**
 * When nothing of the predecessor is left, the member is like every other one. The same holds for a successor of a move that
 * was called off: who may write its workspace could otherwise make it again later, and send a state of their own back.
 */
export async function forgetPredecessor(
  { member, write }: Pick<MemberScope, "member" | "write">,
  { view }: { readonly view: Pick<HubPorts["view"], "get" | "memberStateOf"> },
): Promise<PhaseResult> {
  const { movedFrom, takenOverBy, ...state } = member.state ?? {};
  const isLeft = ({ workspace: namespace, name }: ClusterName) =>
    view.get({ type: resourceTypes.cluster, namespace, name }) !== undefined ||
    view.memberStateOf(namespace, name) !== undefined;
  const hasPredecessor = movedFrom !== undefined && isLeft(movedFrom);
  const hasSuccessor = takenOverBy !== undefined && (successorOf(member) !== undefined || isLeft(takenOverBy));
  if (hasPredecessor === (movedFrom !== undefined) && hasSuccessor === (takenOverBy !== undefined)) return next;
  await write.writeState(member, {
    ...state,
    ...(hasPredecessor ? { movedFrom } : {}),
    ...(hasSuccessor ? { takenOverBy } : {}),
  });
  return next;
}
