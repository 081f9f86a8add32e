// join/fleet: serves the unmodified agents of Rancher Fleet. Pure; the facts of its names stand in model/dialects/fleet.ts.
import { smallestOf } from "../../../core/extremes.ts";
import { AppError } from "../../../core/errors.ts";
import { memoryName } from "../../../model/cluster-memory.ts";
import { fleetAnswerLifeMs, fleetKeys, fleetRegistrationNamespace } from "../../../model/dialects/fleet.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isTrueAt } from "../../../core/read-json.ts";
import { isTokenClosed, tokenEndMs, tokenWarningMs } from "../../../planning/token-life.ts";
import type { JoinProtocol, Subject } from "../../join.ts";
import { isLeaving, isRevoked, refOfChild } from "../../member-state.ts";
import { fleetAgentManifest } from "./agent-manifest.ts";
import { deliverAnswer, memberMintsDue } from "./answer.ts";
import { collectableRegistrations } from "./collectable.ts";
import { decideRegistration } from "./decide.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import { deliverTokenValues, desiredTokenObjects, fleetTokenStatuses, tokenMintsDue } from "./desired-token-objects.ts";
import { isOnlyFleetBeat, memberFacts, memberStatusWrites } from "./facts.ts";
import { pendingImport } from "./import-state.ts";
import { memberLeaveSteps } from "./leave-steps.ts";
import { answerRef, beatOf, formerAccountsOf, grantOf, hasFormerGrant, isAnswerOpen } from "./member-facts.ts";
import { tokenNameOf } from "./registration-request.ts";

/** The hub half of Rancher Fleet's protocol. */
export const fleetProtocol = {
  name: "fleet",
  observedTypes: [resourceTypes.fleetCluster, resourceTypes.fleetRegistrationToken, resourceTypes.fleetRegistration],
  outsideTypes: [
    { type: resourceTypes.namespace },
    { type: resourceTypes.clusterRoleBinding },
    { type: resourceTypes.roleBinding },
    { type: resourceTypes.role, namespace: fleetRegistrationNamespace },
    { type: resourceTypes.secret, namespace: fleetRegistrationNamespace },
    // Accounts that Fleet's controllers made, in the namespaces of clusters.
    { type: resourceTypes.serviceAccount, labelSelector: `${fleetKeys.managed}=true` },
    // Whoever places these does not label them for us: they belong to whose namespace they are in.
    { type: resourceTypes.fleetBundleDeployment, labelSelector: "" },
  ],
  ownedTypes: [
    resourceTypes.serviceAccount,
    resourceTypes.secret,
    resourceTypes.role,
    resourceTypes.roleBinding,
    resourceTypes.clusterRoleBinding,
    resourceTypes.fleetRegistrationToken,
  ],
  registrations: {
    type: resourceTypes.fleetRegistration,
    isDecided: (registration) => isTrueAt(registration, "status", "granted"),
    tokenNameOf,
    decide: decideRegistration,
    collectable: collectableRegistrations,
  },
  soleNames: ({ workspace: namespace, name }) => [{ type: resourceTypes.fleetCluster, namespace, name }],
  desiredObjects: desiredMemberObjects,
  desiredTokenObjects,
  tokenStatuses: fleetTokenStatuses,
  keptObjects,
  dueAtMs,
  mintsDue: (subject, hub) =>
    subject.kind === "member" ? memberMintsDue(subject.member, hub) : tokenMintsDue(subject.subject, hub),
  deliver: async (subject, minted, hub) => {
    if (subject.kind === "token") return deliverTokenValues(subject.subject, minted, hub);
    if (minted.due.purpose === "working") return deliverAnswer(subject.member, minted);
    throw new AppError("E_BUG", `deliver a credential: unknown purpose ${minted.due.purpose}`);
  },
  leaveSteps: memberLeaveSteps,
  agentManifest: fleetAgentManifest,
  pendingBootstrap: pendingImport,
  beatType: resourceTypes.fleetCluster,
  beatOf,
  isOnlyBeat: isOnlyFleetBeat,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
} satisfies JoinProtocol;

function keptObjects(subject: Subject, hub: HubFacts): ObjectRef[] {
  if (subject.kind === "token") {
    const { workspace: namespace, name } = subject.subject;
    return isTokenClosed(subject.subject, hub) ? [] : [{ type: resourceTypes.secret, namespace, name }];
  }
  const { member } = subject;
  const memory = { type: resourceTypes.configMap, namespace: member.workspace, name: memoryName(member.name) };
  const grant = openGrant(member, hub);
  const isFormerGood = hasFormerGrant(member) && !isLeaving(member) && !isRevoked(member);
  const former = isFormerGood ? formerAccountsOf(member).flatMap(refOfChild) : [];
  return [memory, ...former, ...(grant === undefined ? [] : [answerRef(grant)])];
}

function dueAtMs(subject: Subject, hub: HubFacts): number | undefined {
  const moments =
    subject.kind === "member"
      ? [openGrant(subject.member, hub)].map((grant) => (grant ? grant.grantedMs + fleetAnswerLifeMs : undefined))
      : isTokenClosed(subject.subject, hub)
        ? []
        : [tokenWarningMs(subject.subject, hub), tokenEndMs(subject.subject, hub)];
  const future = moments.filter((moment): moment is number => moment !== undefined && moment > hub.nowMs);
  return future.length === 0 ? undefined : smallestOf(future);
}

/** A grant whose answer may still be read. */
function openGrant(member: Member, hub: HubFacts) {
  const grant = grantOf(member);
  if (grant === undefined || isLeaving(member) || isRevoked(member)) return undefined;
  return isAnswerOpen(grant, hub) ? grant : undefined;
}
