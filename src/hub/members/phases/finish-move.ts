import type { JoinProtocol } from "../../../join/join.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { isSameCluster, isSuccessorOf } from "../../../model/previous-name.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";
import { deleteObjects } from "../run-offboarding-step.ts";
import { successorOf } from "../successor.ts";

/** A cluster that is renamed again before its agent followed: so often at most. */
const mostSteps = 20;

/**
 * Removes a member whose agent works under another name: its accounts and credentials, the rest of its objects, at last its
 * Cluster. Nothing is changed downstream. Proceeds while the agent has not moved: until then both names are valid.
 */
export async function finishMove(
  scope: MemberScope,
  { view, events, log }: Pick<HubPorts, "view" | "events" | "log">,
): Promise<PhaseResult> {
  const { protocol, write } = scope;
  await passRevocation(scope, { view, log });
  const { member, hub } = scope;
  const successor = movedTo(view, protocol, { member, hub });
  // One after the other, oldest first: an agent that returns late has to find the way.
  if (!successor || member.former) return next;
  for (const step of protocol.offboardingSteps(member, hub)) {
    if (step.kind === "delete") await deleteObjects({ view, write, log }, step.refs);
  }
  const ref = refOf(resourceTypes.cluster, member.cluster);
  const live = view.get(ref);
  if (live?.metadata.annotations?.[annotationKeys.movedTo] === undefined) return done();
  const { uid = "", resourceVersion = "" } = live.metadata;
  await write.delete(ref, { uid, resourceVersion });
  const now = `${successor.workspace}/${successor.name}`;
  const message = `The cluster was ${scope.key} before; its agent works under the new name.`;
  events.record({ regarding: successor.cluster, type: "Normal", reason: "Moved", message });
  log.info("cluster moved", { cluster: now, from: scope.key });
  return done();
}

/** Represents the file that a revocation outranks, where the successor has it by now. */
const passedOn = "passed-on";

/**
 * A cluster that is revoked while it is renamed is revoked under the new name, too: its agent has the keys that the
 * successor takes over. Once only: a change of the successor's file admits it again. The successor must name this
 * cluster, too: who may write one workspace would otherwise revoke clusters of others by an annotation.
 */
async function passRevocation(
  { member, key, write }: Pick<MemberScope, "member" | "key" | "write">,
  { view, log }: Pick<HubPorts, "view" | "log">,
): Promise<void> {
  const [file, ...by] = member.cluster.metadata.annotations?.[annotationKeys.revoked]?.split("/") ?? [];
  const to = successorOf(member);
  const successor = to && view.memberOf(to.workspace, to.name);
  if (file === undefined || file === passedOn || !successor || !namesAsPredecessor(successor, member)) return;
  const revoke = (cluster: KubeObject, outranked: string): Promise<KubeObject> => {
    const annotations = { [annotationKeys.revoked]: [outranked, ...by].join("/") };
    return write.patch(refOf(resourceTypes.cluster, cluster), {
      metadata: { uid: cluster.metadata.uid ?? "", annotations },
    });
  };
  const { annotations = {} } = successor.cluster.metadata;
  if (annotations[annotationKeys.revoked] === undefined) await revoke(successor.cluster, "-");
  await revoke(member.cluster, passedOn);
  log.warn("a revoked cluster is renamed: its new name is revoked too", { cluster: key });
}

/** The successor, if the agent works as it or as a successor of it; or if there never was an agent. */
function movedTo(
  view: Pick<HubPorts["view"], "memberOf">,
  protocol: JoinProtocol,
  { member, hub }: { readonly member: Member; readonly hub: HubFacts },
): Member | undefined {
  let passed = member;
  for (let step = 0; step < mostSteps; step++) {
    const to = successorOf(passed);
    const successor = to && view.memberOf(to.workspace, to.name);
    if (!successor || !isSameCluster(successor.state?.movedFrom, passed)) return undefined;
    if (successor.state?.keys === undefined || protocol.factsOf(successor, hub).hasJoined) return successor;
    passed = successor;
  }
  return undefined;
}

function namesAsPredecessor({ workspace, cluster, state }: Member, member: Member): boolean {
  const succession = { workspace, previousName: cluster.spec?.previousName, movedFrom: state?.movedFrom };
  return isSuccessorOf(succession, member);
}
