// join/kubefleet: serves the unmodified member agents of KubeFleet. Pure; the facts of its names stand in
// model/dialects/kubefleet.ts.
import { smallestOf } from "../../../core/extremes.ts";
import { AppError } from "../../../core/errors.ts";
import { memoryName } from "../../../model/cluster-memory.ts";
import { kubefleetFinalizerPrefix } from "../../../model/dialects/kubefleet.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { FormerHold, JoinProtocol, Subject } from "../../join.ts";
import { childByRef, isLeaving } from "../../member-state.ts";
import { kubefleetAgentManifest } from "../manifests/agent-manifest.ts";
import { credentialMoments, deliverToken, memberMintsDue, pendingInstall, usableCredentials } from "./credentials.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import { beatOf, memberFacts } from "./facts.ts";
import { memberLeaveSteps } from "./leave-steps.ts";
import {
  homeNamespaceRef,
  internalRef,
  joinStateOf,
  memberClusterRef,
  roleBindingRef,
  roleRef,
} from "./member-facts.ts";
import { isOnlyKubefleetBeat, memberStatusWrites, mirrorIntervalMs } from "./mirror.ts";

/** The hub half of KubeFleet's protocol. Its agents never ask to join: a MemberCluster is declared, or it is not. */
export const kubefleetProtocol = {
  name: "kubefleet",
  observedTypes: [],
  outsideTypes: [
    // All of them: one that somebody else made is not to be taken over unasked.
    { type: resourceTypes.memberCluster, labelSelector: "" },
    { type: resourceTypes.namespace },
    { type: resourceTypes.role },
    { type: resourceTypes.roleBinding },
    { type: resourceTypes.internalMemberCluster },
    // Whoever places these does not label them for us: they belong to whose namespace they are in.
    { type: resourceTypes.work, labelSelector: "" },
  ],
  ownedTypes: [resourceTypes.serviceAccount, resourceTypes.secret, resourceTypes.role, resourceTypes.roleBinding],
  soleNames: (member) => [memberClusterRef(member), homeNamespaceRef(member)],
  desiredObjects: (member) => desiredMemberObjects(member),
  formerHolds,
  // Files that declare a token of this protocol are refused.
  desiredTokenObjects: () => [],
  tokenStatuses: () => [],
  keptObjects,
  dueAtMs,
  mintsDue: (subject, hub) => (subject.kind === "member" ? memberMintsDue(subject.member, hub) : []),
  deliver: async (subject, minted) => {
    if (subject.kind === "member" && minted.due.purpose === "working") return deliverToken(subject.member, minted);
    throw new AppError("E_BUG", `deliver a credential: unknown purpose ${minted.due.purpose}`);
  },
  leaveSteps: memberLeaveSteps,
  agentManifest: kubefleetAgentManifest,
  pendingBootstrap: pendingInstall,
  beatType: resourceTypes.internalMemberCluster,
  beatOf,
  isOnlyBeat: isOnlyKubefleetBeat,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  leaveStatusWrites: memberStatusWrites,
} satisfies JoinProtocol;

/** What KubeFleet's hub agent put on the objects of a member that was taken over from it; nobody else's is touched. */
function formerHolds(member: Member): FormerHold[] {
  const refs = [memberClusterRef, homeNamespaceRef, roleRef, roleBindingRef, internalRef].map((refOf) => refOf(member));
  return refs.flatMap((ref): FormerHold[] => {
    const { finalizers = [], ownerReferences = [] } = childByRef(member, ref)?.metadata ?? {};
    const hold = {
      ref,
      finalizers: finalizers.filter((name) => !name.startsWith(kubefleetFinalizerPrefix)),
      ownerReferences: ownerReferences.filter(({ kind }) => kind !== resourceTypes.memberCluster.kind),
    };
    const isFree =
      hold.finalizers.length === finalizers.length && hold.ownerReferences.length === ownerReferences.length;
    return isFree ? [] : [hold];
  });
}

function keptObjects(subject: Subject, hub: HubFacts): ObjectRef[] {
  if (subject.kind === "token") return [];
  const { member } = subject;
  const memory = { type: resourceTypes.configMap, namespace: member.workspace, name: memoryName(member.name) };
  return [memory, ...usableCredentials(member, hub)];
}

function dueAtMs(subject: Subject, hub: HubFacts): number | undefined {
  if (subject.kind === "token" || isLeaving(subject.member)) return undefined;
  const { member } = subject;
  const isBeating = joinStateOf(childByRef(member, internalRef(member))) === "Joined" && isHealthKnown(member);
  const moments = [...credentialMoments(member), ...(isBeating ? [hub.nowMs + mirrorIntervalMs] : [])];
  const future = moments.filter((moment) => moment > hub.nowMs);
  return future.length === 0 ? undefined : smallestOf(future);
}

/** While an agent is silent there is nothing new to copy. */
function isHealthKnown({ cluster }: Member): boolean {
  return cluster.status?.conditions?.find(({ type }) => type === "Healthy")?.status !== "Unknown";
}
