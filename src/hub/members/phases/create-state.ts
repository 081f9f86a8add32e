import { originOf } from "../../../planning/member-origin.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";

/** A state that exists and was not seen yet is awaited this long, unless the watch brings it before. */
const stateRetryMs = 500;

/**
 * Creates the state of a member that has none. It contains only how the Cluster was made. A label that a person took off a state
 * comes back: by it, the state is found once the Cluster is deleted.
 */
export async function createState({ member, write }: Pick<MemberScope, "member" | "write">): Promise<PhaseResult> {
  if (member.state) {
    await write.updateState(member, (state) => state);
    return next;
  }
  const isCreated = await write.createState(member, { origin: originOf(member.cluster) });
  return isCreated ? next : done(stateRetryMs);
}
