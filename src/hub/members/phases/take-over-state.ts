import { isSameCluster, readPreviousName } from "../../../model/previous-name.ts";
import { originOf } from "../../../planning/member-origin.ts";
import { movedState } from "../../../planning/moved-state.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";
import { successorOf } from "../successor.ts";

/**
 * Gives a member that has no agent yet the state of the cluster that it replaces. Both sides must name each other: its own
 * `previousName`, and the annotation of the predecessor. Requeues at once when it wrote, or when the state exists already.
 */
export async function takeOverState(
  { workspace, name, key, member, write }: MemberScope,
  { view, log }: Pick<HubPorts, "view" | "log">,
): Promise<PhaseResult> {
  const { state, cluster } = member;
  const previous = cluster.spec?.previousName;
  if (previous === undefined || state?.keys !== undefined || state?.movedFrom !== undefined) return next;
  const from = readPreviousName(previous, workspace);
  const former = view.memberOf(from.workspace, from.name);
  const successor = former && successorOf(former);
  if (!former || !isSameCluster(successor, member)) return next;
  if (!state && !(await write.createState(member, { origin: originOf(cluster) }))) return done(0);
  // Where the move is called off, this is what proves to the other workspace that its agent is here.
  if (from.workspace !== workspace)
    await write.updateState(former, (live) => live && { ...live, takenOverBy: { workspace, name } });
  let isTaken = false;
  await write.updateState(member, (live) => {
    // An agent that was admitted meanwhile is this member, and the next pass sees it.
    isTaken = live?.keys === undefined;
    return isTaken ? movedState(former, { workspace, state: live }) : undefined;
  });
  if (isTaken) log.info("cluster takes over", { cluster: key, from: `${from.workspace}/${from.name}` });
  return done(0);
}
