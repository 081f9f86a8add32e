import { resourceTypes } from "../../../model/resource-types.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** When nothing of the predecessor is left, the member is like every other one. */
export async function forgetPredecessor(
  { member, write }: Pick<MemberScope, "member" | "write">,
  { view }: { readonly view: Pick<HubPorts["view"], "get" | "memberStateOf"> },
): Promise<PhaseResult> {
  const { movedFrom, ...state } = member.state ?? {};
  if (!movedFrom) return next;
  const { workspace: namespace, name } = movedFrom;
  const isThere = view.get({ type: resourceTypes.cluster, namespace, name }) !== undefined;
  if (isThere || view.memberStateOf(namespace, name)) return next;
  await write.writeState(member, state);
  return next;
}
