import type { OffboardingStep } from "../../../join/join.ts";
import type { MemberState, FormerProtocol } from "../../../model/member-state.ts";
import { memberStateName } from "../../../model/member-state.ts";
import type { Cluster } from "../../../model/generated/cluster.ts";
import type { ProtocolName } from "../../../model/generated/protocol.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import { computeClusterStatus } from "../../../planning/cluster-status.ts";
import { toTime, withConditionsOf } from "../../../planning/conditions.ts";
import { originOf } from "../../../planning/member-origin.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberPorts, MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";
import { runOffboardingSteps } from "../run-offboarding-steps.ts";

/** Time after which a member is requeued whose previous protocol this daemon does not serve. */
const notServedRetryMs = 30_000;

type OffboardingPorts = Pick<
  MemberPorts,
  | "hubApi"
  | "view"
  | "hubFacts"
  | "protocols"
  | "health"
  | "events"
  | "log"
  | "clock"
  | "connectDownstream"
  | "callAside"
  | "answerWaitMs"
>;

/**
 * Offboards a member from the protocol that its Cluster does not name any more: its agent is removed, its credentials are
 * revoked, its objects are deleted. The other protocol begins after that.
 */
export async function leavePreviousProtocol(scope: MemberScope, ports: OffboardingPorts): Promise<PhaseResult> {
  const { member, hub, write, signal } = scope;
  const former = member.state?.formerProtocol ?? changedFrom(member, hub);
  if (former === undefined) return next;
  const from = former.spec.protocol ?? "rollcall";
  const record = (leave: Partial<FormerProtocol["leave"]>): Promise<void> =>
    write.updateState(member, (state) => {
      const formerProtocol = { ...former, leave: { ...(state?.formerProtocol ?? former).leave, ...leave } };
      return { ...state, origin: originOf(member.cluster), formerProtocol };
    });
  const show = (message: string): Promise<void> => showChange(scope, { member, from, message });
  if (member.state?.formerProtocol === undefined) {
    await record({});
    const to = member.cluster.spec?.protocol ?? "rollcall";
    ports.log.info("cluster changes its join protocol", { cluster: scope.key, from, to });
    await show("It parts from its agent first.");
  }
  const protocol = ports.protocols.get(from);
  if (protocol === undefined) {
    await show(`This hub serves no agents of ${from}: what is of it stays.`);
    return done(notServedRetryMs);
  }
  const seen = asPredecessor(scope.readAgain(), former);
  const steps = protocol.offboardingSteps(seen, scope.hub).map((step) => withoutState(step, member));
  const waitMs = await runOffboardingSteps({ ...ports, write }, steps, {
    member: seen,
    beganMs: Date.parse(former.leave.since),
    show: (phase) => show(`It parts from its agent of ${from} first: ${phase}.`),
    isCancelled: () => false,
    record,
    signal,
  });
  if (waitMs > 0) return done(waitMs);
  await beginAnew(scope, ports, { member, from });
  return next;
}

/** The change that the Cluster asks for and that did not begin yet. */
function changedFrom({ cluster, state }: Member, { nowMs }: HubFacts): FormerProtocol | undefined {
  const { origin } = state ?? {};
  if (origin === undefined || (origin.spec?.protocol ?? "rollcall") === (cluster.spec?.protocol ?? "rollcall"))
    return undefined;
  const commit = cluster.metadata.annotations?.[annotationKeys.sourceCommit] ?? "";
  return { spec: origin.spec ?? {}, leave: { commit, since: toTime(nowMs) } };
}

/**
 * The member as its previous protocol knows it: leaving. The kubeconfig and deletionPolicy are those of the current
 * file. Placed objects stay: the cluster stays in the fleet.
 */
function asPredecessor(member: Member, { spec, leave }: FormerProtocol): Member {
  const { cluster } = member;
  const { kubeConfigSecretRef = spec.kubeConfigSecretRef, deletionPolicy = spec.deletionPolicy } = cluster.spec ?? {};
  const { metadata } = cluster;
  const { placedResources: _, ...kept } = spec;
  const former: Cluster = {
    ...cluster,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotationKeys.leave]: leave.commit } },
    spec: {
      ...kept,
      ...(spec.kubeConfigSecretRef === undefined || kubeConfigSecretRef === undefined ? {} : { kubeConfigSecretRef }),
      ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
    },
  };
  const { formerProtocol, ...state } = member.state ?? {};
  return { ...member, cluster: former, state: { ...state, leave: formerProtocol?.leave ?? leave } };
}

/** The identity of the cluster stays; only the facts of its previous protocol are removed. */
function withoutState(step: OffboardingStep, { workspace, name }: Member): OffboardingStep {
  if (step.kind !== "delete") return step;
  const isState = ({ type, namespace, name: object }: (typeof step.refs)[number]): boolean =>
    type === resourceTypes.configMap && namespace === workspace && object === memberStateName(name);
  return { ...step, refs: step.refs.filter((ref) => !isState(ref)) };
}

/** The previous protocol is cleared: no agent has joined as this member. Labels stay, and numbers continue. */
async function beginAnew(
  { key, write }: MemberScope,
  { health, events, log }: Pick<HubPorts, "health" | "events" | "log">,
  { member, from }: { readonly member: Member; readonly from: ProtocolName },
): Promise<void> {
  const { cluster } = member;
  await write.updateState(member, (state = {}) => clearedState(state, cluster));
  health.forget(key);
  const to = cluster.spec?.protocol ?? "rollcall";
  const message = `The cluster joined by protocol ${from} before; its objects of that protocol are deleted. It joins by ${to} now.`;
  events.record({ regarding: cluster, type: "Normal", reason: "ProtocolChanged", message });
  log.info("cluster joins by another protocol", { cluster: key, from, to });
}

function clearedState({ labels, lastCredentialNumber, credential }: MemberState, cluster: Cluster): MemberState {
  const lastNumber = Math.max(lastCredentialNumber ?? 0, credential?.number ?? 0);
  return {
    origin: originOf(cluster),
    ...(labels === undefined ? {} : { labels }),
    ...(lastNumber === 0 ? {} : { lastCredentialNumber: lastNumber }),
  };
}

/** The status of the Cluster meanwhile: no agent has joined by its protocol. */
async function showChange(
  scope: MemberScope,
  { member, from, message }: { readonly member: Member; readonly from: ProtocolName; readonly message: string },
): Promise<void> {
  const { write, hub } = scope;
  const { cluster, state = {} } = member;
  // Without its previous agent and the way it joined: otherwise the status would report a lost identity. The conditions are
  // those of now, which the previous step has written.
  const withoutAgent = withConditionsOf({ ...cluster, status: {} }, scope.member.cluster);
  const status = computeClusterStatus({
    member: { ...member, cluster: withoutAgent, state: clearedState(state, cluster) },
    hub,
    facts: {
      hasJoined: false,
      health: undefined,
      credentials: { status: "Unknown", reason: "NotIssued", message: "No agent was let in yet." },
      agent: { status: "Unknown", reason: "NotReported", message: "No agent has reported yet." },
      status: {},
    },
    heartbeat: { kind: "unwatched" },
    install: {
      kind: "pending",
      reason: "ChangingProtocol",
      message: `The cluster leaves protocol ${from}. ${message}`,
    },
  });
  await write.applyStatus({ ref: refOf(resourceTypes.cluster, cluster), status }, scope.member.cluster);
}
