import type { LeaveStep } from "../join/join.ts";
import type { ClusterMemory, FormerProtocol } from "../model/cluster-memory.ts";
import { memoryName } from "../model/cluster-memory.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import { refOf } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { computeClusterStatus } from "../planning/cluster-status.ts";
import { toTime } from "../planning/conditions.ts";
import { originOf } from "../planning/member-origin.ts";
import type { HubContext } from "./hub-context.ts";
import { writeMemory, writeStatus } from "./hub-context.ts";
import type { TakenSteps } from "./take-steps.ts";
import { takeSteps } from "./take-steps.ts";

/** A former protocol that this daemon does not serve is looked for again after this. */
const notServedRetryMs = 30_000;

/**
 * Parts a member from the protocol that its Cluster does not name any more, as if it left: its agent goes, its credentials
 * are revoked, its objects are removed. Only then does it begin anew with the other one, of which nothing is done before.
 * Undefined when there is nothing (more) to be done; else milliseconds after which to go on.
 */
export async function leaveFormerProtocol(
  context: HubContext,
  member: Member,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { workspace, name } = member;
  const former = member.memory?.formerProtocol ?? changedFrom(context, member);
  if (former === undefined) return undefined;
  const from = former.spec.protocol ?? "rollcall";
  const remember = async (done: Partial<FormerProtocol["leave"]>): Promise<void> => {
    const memory = context.view.memoryOf(workspace, name);
    const formerProtocol = { ...former, leave: { ...(memory?.formerProtocol ?? former).leave, ...done } };
    await writeMemory(context, member, { ...memory, origin: originOf(member.cluster), formerProtocol }, signal);
  };
  if (member.memory?.formerProtocol === undefined) {
    await remember({});
    context.log.info("cluster changes its join protocol", {
      cluster: `${workspace}/${name}`,
      from,
      to: member.cluster.spec?.protocol ?? "rollcall",
    });
    await tell(context, member, { from, message: "It parts from its agent first.", signal });
  }
  const seen = asFormer(context.view.memberOf(workspace, name) ?? member, former);
  const protocol = context.protocols.get(from);
  if (protocol === undefined) {
    await tell(context, member, {
      from,
      message: `This hub serves no agents of ${from}: what is of it stays.`,
      signal,
    });
    return notServedRetryMs;
  }
  const show: TakenSteps["show"] = (phase) =>
    tell(context, member, { from, message: `It parts from its agent of ${from} first: ${phase}.`, signal });
  const steps = protocol.leaveSteps(seen, context.hubFacts()).map((step) => withoutMemory(step, member));
  const beganMs = Date.parse(former.leave.since);
  const waitMs = await takeSteps(context, steps, { member: seen, beganMs, show, remember, signal });
  if (waitMs > 0) return waitMs;
  await begin(context, member, { from, signal });
  return undefined;
}

/** The change that the Cluster asks for and nobody began yet. */
function changedFrom(context: HubContext, { cluster, memory }: Member): FormerProtocol | undefined {
  const { origin } = memory ?? {};
  if (origin === undefined || (origin.spec?.protocol ?? "rollcall") === (cluster.spec?.protocol ?? "rollcall"))
    return undefined;
  const commit = cluster.metadata.annotations?.[annotationKeys.sourceCommit] ?? "";
  return { spec: origin.spec ?? {}, leave: { commit, since: toTime(context.hubFacts().nowMs) } };
}

/**
 * The member as its former protocol knows it: leaving. What is reached by a kubeconfig is reached by the one that the file
 * names now, and its deletionPolicy is that of the file.
 */
function asFormer(member: Member, { spec, leave }: FormerProtocol): Member {
  const { cluster } = member;
  const { kubeConfigSecretRef = spec.kubeConfigSecretRef, deletionPolicy = spec.deletionPolicy } = cluster.spec ?? {};
  const { metadata } = cluster;
  const former: Cluster = {
    ...cluster,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotationKeys.leave]: leave.commit } },
    spec: {
      ...spec,
      ...(spec.kubeConfigSecretRef === undefined || kubeConfigSecretRef === undefined ? {} : { kubeConfigSecretRef }),
      ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
    },
  };
  const { formerProtocol, ...memory } = member.memory ?? {};
  return { ...member, cluster: former, memory: { ...memory, leave: formerProtocol?.leave ?? leave } };
}

/** Who the cluster is stays known; only what its former protocol knew of it goes. */
function withoutMemory(step: LeaveStep, { workspace, name }: Member): LeaveStep {
  if (step.kind !== "delete") return step;
  const isMemory = ({ type, namespace, name: object }: (typeof step.refs)[number]): boolean =>
    type === resourceTypes.configMap && namespace === workspace && object === memoryName(name);
  return { ...step, refs: step.refs.filter((ref) => !isMemory(ref)) };
}

/** Nothing is left of the former protocol: the member is one that nobody has joined. Labels stay, and numbers go on. */
async function begin(
  context: HubContext,
  member: Member,
  { from, signal }: { readonly from: ProtocolName; readonly signal: AbortSignal },
): Promise<void> {
  const { workspace, name, cluster } = member;
  await writeMemory(context, member, clearedMemory(context.view.memoryOf(workspace, name) ?? {}, cluster), signal);
  context.health.forget(`${workspace}/${name}`);
  const to = cluster.spec?.protocol ?? "rollcall";
  const message = `The cluster joined by protocol ${from} before; what was of it is gone. It joins by ${to} now.`;
  context.events?.note({ regarding: cluster, type: "Normal", reason: "ProtocolChanged", message });
  context.log.info("cluster joins by another protocol", { cluster: `${workspace}/${name}`, from, to });
}

function clearedMemory({ labels, lastCredentialNumber, credential }: ClusterMemory, cluster: Cluster): ClusterMemory {
  const lastNumber = Math.max(lastCredentialNumber ?? 0, credential?.number ?? 0);
  return {
    origin: originOf(cluster),
    ...(labels === undefined ? {} : { labels }),
    ...(lastNumber === 0 ? {} : { lastCredentialNumber: lastNumber }),
  };
}

/** What the Cluster says meanwhile: nobody has joined by its protocol. */
async function tell(
  context: HubContext,
  member: Member,
  { from, message, signal }: { readonly from: ProtocolName; readonly message: string; readonly signal: AbortSignal },
): Promise<void> {
  const { cluster, memory = {} } = member;
  const { conditions } = cluster.status ?? {};
  // Neither who its former agent was nor how it came in: or that would look like an identity that was lost.
  const nobody = { ...cluster, status: { ...(conditions === undefined ? {} : { conditions }) } };
  const status = computeClusterStatus({
    member: { ...member, cluster: nobody, memory: clearedMemory(memory, cluster) },
    hub: context.hubFacts(),
    facts: {
      hasJoined: false,
      health: undefined,
      credentials: { status: "Unknown", reason: "NotIssued", message: "No agent was let in yet." },
      agent: { status: "Unknown", reason: "NotReported", message: "No agent has reported yet." },
      status: {},
    },
    beat: { kind: "unwatched" },
    install: {
      kind: "pending",
      reason: "ChangingProtocol",
      message: `The cluster leaves protocol ${from}. ${message}`,
    },
  });
  await writeStatus(context, { ref: refOf(resourceTypes.cluster, cluster), status }, signal);
}
