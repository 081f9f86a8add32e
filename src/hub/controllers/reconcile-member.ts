// One pass brings one member to what its Cluster declares. The phases below run in this order over one scope;
// docs/architecture.md explains the order.
import { describeError, isAppError } from "../../core/errors.ts";
import { cutText } from "../../core/trim-characters.ts";
import { isSuspended } from "../../model/is-suspended.ts";
import type { ClusterName } from "../../model/member-state.ts";
import { annotationKeys } from "../../model/well-known.ts";
import type { MemberPhase, MemberPorts, MemberScope } from "../members/member-scope.ts";
import { openMemberScope } from "../members/member-scope.ts";
import { applyChildren } from "../members/phases/apply-children.ts";
import { applyLabels } from "../members/phases/apply-labels.ts";
import { awaitFirstReport } from "../members/phases/await-first-report.ts";
import { checkDeclared } from "../members/phases/check-declared.ts";
import { checkNames } from "../members/phases/check-names.ts";
import { confirmSilence } from "../members/phases/confirm-silence.ts";
import { createState } from "../members/phases/create-state.ts";
import { decideRejoin } from "../members/phases/decide-rejoin.ts";
import { finishMove } from "../members/phases/finish-move.ts";
import { forgetPredecessor } from "../members/phases/forget-predecessor.ts";
import { installAgent } from "../members/phases/install-agent.ts";
import { issueCredentials } from "../members/phases/issue-credentials.ts";
import { leavePreviousProtocol } from "../members/phases/leave-previous-protocol.ts";
import { observeHeartbeat } from "../members/phases/observe-heartbeat.ts";
import { offboard } from "../members/phases/offboard.ts";
import { recordOrigin } from "../members/phases/record-origin.ts";
import { releasePreviousHubHolds } from "../members/phases/release-previous-hub-holds.ts";
import { removeForeignFinalizers } from "../members/phases/remove-foreign-finalizers.ts";
import { returnAgent } from "../members/phases/return-agent.ts";
import { revokeCredentials } from "../members/phases/revoke-credentials.ts";
import { schedule } from "../members/phases/schedule.ts";
import { takeOverState } from "../members/phases/take-over-state.ts";
import { withdrawOffer } from "../members/phases/withdraw-offer.ts";
import { writeClusterStatus, writeStatus } from "../members/phases/write-status.ts";
import { reportNotServed } from "../members/report-not-served.ts";
import { reconcileStateWithoutCluster } from "../state-without-cluster.ts";

/** Every phase of a pass, in order. A phase that returns `done` ends the pass. */
export const memberPhases: readonly MemberPhase[] = [
  observeHeartbeat,
  revokeCredentials,
  confirmSilence,
  leavePreviousProtocol,
  returnAgent,
  offboard,
  finishMove,
  takeOverState,
  checkDeclared,
  checkNames,
  createState,
  forgetPredecessor,
  recordOrigin,
  decideRejoin,
  applyLabels,
  removeForeignFinalizers,
  applyChildren,
  releasePreviousHubHolds,
  issueCredentials,
  withdrawOffer,
  installAgent,
  awaitFirstReport,
  writeStatus,
  // Credentials that are not used any more are deleted at once, not at the next event.
  applyChildren,
  schedule,
];

/** Of a suspended member that is revoked: a suspension keeps no credential valid. */
const revocationPhases: readonly MemberPhase[] = [observeHeartbeat, applyChildren, writeStatus];

/**
 * Brings one member to what its Cluster declares: children on the hub, credentials, the agent's installation, conditions.
 * Returns milliseconds after which to reconcile it again; undefined: after the next event.
 */
export async function reconcileMember(
  ports: MemberPorts,
  { workspace, name }: ClusterName,
  signal: AbortSignal,
): Promise<number | undefined> {
  const member = ports.view.memberOf(workspace, name);
  if (!member) {
    // The Cluster of a member that has a state is made again.
    if (!ports.view.memberStateOf(workspace, name)) ports.health.forget(`${workspace}/${name}`);
    return reconcileStateWithoutCluster(ports, { workspace, name }, signal);
  }
  const protocol = ports.protocols.get(member.cluster.spec?.protocol ?? "rollcall");
  const { annotations = {} } = member.cluster.metadata;
  const isHeld = isSuspended(member.cluster);
  if (isHeld && annotations[annotationKeys.revoked] === undefined) return undefined;
  if (!protocol) {
    await reportNotServed(ports, member, signal);
    return undefined;
  }
  const scope = openMemberScope(ports, { member, protocol }, signal);
  try {
    for (const phase of isHeld ? revocationPhases : memberPhases) {
      const result = await phase(scope, ports);
      if (result.kind === "done") return result.requeueAfterMs;
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    await reportRefusedWrite(scope, ports, error);
    throw error;
  }
}

/** A quota, a policy, a missing right or a name that is taken: the queue tries again, and the status names what to change. */
async function reportRefusedWrite(
  scope: MemberScope,
  ports: Pick<MemberPorts, "view" | "health" | "events" | "childFights" | "log">,
  error: unknown,
): Promise<void> {
  const isTaken = isAppError(error, "E_KUBE_EXISTS") && error.data["taken"] !== undefined;
  if (!isTaken && !isAppError(error, "E_KUBE_FORBIDDEN", "E_KUBE_INVALID")) return;
  const { metadata } = scope.readAgain().cluster;
  const isThere = ports.view.memberOf(scope.workspace, scope.name) !== undefined;
  if (!isThere || metadata.annotations?.[annotationKeys.leave] !== undefined) return;
  const failure = { reason: "WriteRefused", message: cutText(describeError(error), 1024) };
  try {
    await writeClusterStatus(scope, ports, { failure });
  } catch (cause) {
    // The caller throws the refusal; that the status cannot be written either is worth a line.
    ports.log.warn("a refused write cannot be shown", { cluster: scope.key, error: cause });
  }
}
