import type { RegistrationDecision } from "../join/join.ts";
import type { Member } from "../model/member.ts";
import type { MemberIndex } from "../planning/member-index.ts";
import { indexMembers } from "../planning/member-index.ts";

export type Granted = Extract<RegistrationDecision, { kind: "granted" }>;

/** The members of a workspace as decisions see them. */
export interface ProvisionalMembers {
  /** Those that are there, and those that were admitted and are still being written. */
  readonly index: MemberIndex;
  /** From now on this agent is the member, whether or not the hub has it already. */
  letIn(decision: Granted): void;
}

/**
 * Several decisions are under way at a time, and none may be given what another took: a name, a clientID, a use of a token.
 * So each is taken into account the moment it falls, before anything of it is written.
 */
export function provisionalMembers(workspace: string, members: readonly Member[]): ProvisionalMembers {
  const index = indexMembers(members);
  return {
    index,
    letIn: ({ clusterName: name, cluster, state }) => {
      const known = index.named(name);
      const made = known?.cluster ?? cluster;
      if (made === undefined) return; // no agent is admitted as a member without a Cluster
      index.put({ workspace, name, children: [], ...known, cluster: made, state });
    },
  };
}
