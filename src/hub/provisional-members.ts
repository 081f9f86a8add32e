import type { RegistrationDecision } from "../join/join.ts";
import type { Member } from "../model/member.ts";

export type Granted = Extract<RegistrationDecision, { kind: "granted" }>;

/** The members of a workspace as decisions see them. */
export interface ProvisionalMembers {
  /** Those that are there, and those that were let in and are still being written. */
  readonly all: readonly Member[];
  /** From now on this agent is the member, whether or not the hub has it already. */
  letIn(decision: Granted): void;
}

/**
 * Several decisions are under way at a time, and none may be given what another took: a name, a clientID, a use of a token.
 * So each is taken into account the moment it falls, before anything of it is written.
 */
export function provisionalMembers(workspace: string, members: readonly Member[]): ProvisionalMembers {
  const all = [...members];
  const places = new Map(all.map(({ name }, index) => [name, index]));
  return {
    all,
    letIn: ({ clusterName: name, cluster, memory }) => {
      const place = places.get(name) ?? all.length;
      const known = all[place];
      const made = known?.cluster ?? cluster;
      if (made === undefined) return; // nobody can be let in as a member that is not there
      places.set(name, place);
      all[place] = { workspace, name, children: [], ...known, cluster: made, memory };
    },
  };
}
