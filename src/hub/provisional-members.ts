import type { RegistrationDecision } from "../join/join.ts";
import type { Member } from "../model/member.ts";
import type { MemberIndex } from "../planning/member-index.ts";
import { indexMembers, mergeUses } from "../planning/member-index.ts";

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
 * So each is taken into account the moment it falls, before anything of it is written. `missing` are members that the hub knows
 * only by their states.
 */
export function provisionalMembers(
  workspace: string,
  present: MemberIndex,
  missing: readonly Member[] = [],
): ProvisionalMembers {
  const added = indexMembers(missing);
  const index: MemberIndex = {
    named: (name) => added.named(name) ?? present.named(name),
    find: (keyOf, key) => [
      ...present.find(keyOf, key).filter(({ name }) => added.named(name) === undefined),
      ...added.find(keyOf, key),
    ],
    usesOf: (token) => mergeUses(present.usesOf(token), added.usesOf(token)),
  };
  return {
    index,
    letIn: ({ clusterName: name, cluster, state }) => {
      const known = index.named(name);
      const made = known?.cluster ?? cluster;
      if (made === undefined) return; // no agent is admitted as a member without a Cluster
      added.put({ workspace, name, children: [], ...known, cluster: made, state });
    },
  };
}
