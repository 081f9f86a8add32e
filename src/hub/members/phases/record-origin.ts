import { isJsonEqual } from "../../../core/json.ts";
import type { MemberOrigin } from "../../../model/member-state.ts";
import { originOf } from "../../../planning/member-origin.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Records how the Cluster was made, so that it can be made again after a manual deletion. Forgets a cancelled offboarding. */
export async function recordOrigin({ member, write }: Pick<MemberScope, "member" | "write">): Promise<PhaseResult> {
  const origin = originOf(member.cluster);
  const { leave, ...state } = member.state ?? {};
  // An unchanged Cluster that the hub made is recorded as it was made; the rest of its spec are defaults.
  const known = state.origin;
  const isAsMade = known?.isDeclared === false && member.cluster.metadata.generation === 1;
  if (leave === undefined && isJsonEqual(known, isAsMade ? withSpecOf(known, origin) : origin)) return next;
  await write.writeState(member, { ...state, origin });
  return next;
}

function withSpecOf({ spec }: MemberOrigin, { spec: _, ...origin }: MemberOrigin): MemberOrigin {
  return { ...origin, ...(spec === undefined ? {} : { spec }) };
}
