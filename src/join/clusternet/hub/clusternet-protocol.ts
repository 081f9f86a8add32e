// join/clusternet: serves the unmodified agents of Clusternet. Pure; the facts of its names stand in
// model/dialects/clusternet.ts.
import { smallestOf } from "../../../core/extremes.ts";
import { AppError } from "../../../core/errors.ts";
import { textAt } from "../../../core/read-json.ts";
import { memoryName } from "../../../model/cluster-memory.ts";
import { clusternetImportLifeMs } from "../../../model/dialects/clusternet.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isTokenClosed, tokenEndMs, tokenWarningMs } from "../../../planning/token-life.ts";
import type { JoinProtocol, MintedCredential, Subject } from "../../join.ts";
import { isLeaving } from "../../member-state.ts";
import { clusternetAgentManifest } from "../manifests/agent-manifest.ts";
import { deliverAnswer, memberMintsDue } from "./answer.ts";
import { collectableRequests } from "./collectable.ts";
import { decideRegistration } from "./decide.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import {
  clusternetTokenStatuses,
  deliverToToken,
  desiredTokenObjects,
  keptTokenObjects,
  tokenMintsDue,
} from "./desired-token-objects.ts";
import type { Doors } from "./doors.ts";
import { accountDoors, bootstrapDoors } from "./doors.ts";
import { isOnlyClusternetBeat, memberFacts, memberStatusWrites } from "./facts.ts";
import { isImportOpen, pendingImport } from "./import-state.ts";
import { memberLeaveSteps, whatStaysDownstream } from "./leave-steps.ts";
import { agentPeriodOf, answerEndMs, beatOf, grantOf, homeNamespaceRef, managedClusterRef } from "./member-facts.ts";
import { tokenOfRequest, workspaceOfRequest } from "./registration-request.ts";

/** The hub half of Clusternet's protocol: what its controllers crrapprover and clusterlifecycle do. */
function protocolWith(doors: Doors) {
  return {
    name: "clusternet",
    observedTypes: [],
    outsideTypes: [
      // Agents make these; their workspace stands in them.
      { type: resourceTypes.registrationRequest, labelSelector: "" },
      // All of them: one that somebody else made is not to be taken over unasked.
      { type: resourceTypes.managedCluster, labelSelector: "" },
      { type: resourceTypes.namespace, labelSelector: "" },
      { type: resourceTypes.clusterRole },
      { type: resourceTypes.clusterRoleBinding },
      { type: resourceTypes.roleBinding },
      ...doors.outsideTypes,
    ],
    ownedTypes: [
      resourceTypes.serviceAccount,
      resourceTypes.secret,
      resourceTypes.roleBinding,
      resourceTypes.clusterRole,
      resourceTypes.clusterRoleBinding,
      resourceTypes.managedCluster,
    ],
    registrations: {
      type: resourceTypes.registrationRequest,
      workspaceOf: workspaceOfRequest,
      isDecided: (request) => textAt(request, "status", "result") === "Approved",
      tokenNameOf: tokenOfRequest,
      decide: decideRegistration,
      collectable: collectableRequests,
    },
    soleNames: (member) => [managedClusterRef(member), homeNamespaceRef(member)],
    desiredObjects: (member: Member, hub: HubFacts) => desiredMemberObjects(doors, member, hub),
    desiredTokenObjects: (subject: TokenSubject, hub: HubFacts) => desiredTokenObjects(doors, subject, hub),
    tokenStatuses: clusternetTokenStatuses,
    keptObjects: (subject: Subject, hub: HubFacts) => keptObjects(doors, subject, hub),
    dueAtMs,
    mintsDue: (subject: Subject, hub: HubFacts) =>
      subject.kind === "member" ? memberMintsDue(subject.member, hub) : tokenMintsDue(doors, subject.subject, hub),
    deliver: async (subject: Subject, minted: MintedCredential, hub: HubFacts) => {
      if (subject.kind === "token") return deliverToToken(doors, subject.subject, minted, hub);
      if (minted.due.purpose === "working") return deliverAnswer(subject.member, minted, hub);
      throw new AppError("E_BUG", `deliver a credential: unknown purpose ${minted.due.purpose}`);
    },
    leaveSteps: memberLeaveSteps,
    whatStaysDownstream,
    agentManifest: clusternetAgentManifest,
    pendingBootstrap: pendingImport,
    beatType: resourceTypes.managedCluster,
    beatOf,
    isOnlyBeat: isOnlyClusternetBeat,
    agentPeriodSeconds: agentPeriodOf,
    factsOf: memberFacts,
    statusWrites: memberStatusWrites,
  } satisfies JoinProtocol;
}

/** With accounts as doors, which every API server can check. */
export const clusternetProtocol = protocolWith(accountDoors);

/** With bootstrap tokens as doors, where an agent is to be given one of the form that kubeadm writes. */
export const clusternetBootstrapProtocol = protocolWith(bootstrapDoors);

function keptObjects(doors: Doors, subject: Subject, hub: HubFacts): ObjectRef[] {
  if (subject.kind === "token") return keptTokenObjects(doors, subject.subject, hub);
  const { workspace: namespace, name } = subject.member;
  return [{ type: resourceTypes.configMap, namespace, name: memoryName(name) }];
}

function dueAtMs(subject: Subject, hub: HubFacts): number | undefined {
  const moments = subject.kind === "member" ? memberMoments(subject.member, hub) : tokenMoments(subject, hub);
  const future = moments.filter((moment) => moment > hub.nowMs);
  return future.length === 0 ? undefined : smallestOf(future);
}

/** When something of a member ends by time alone: the answer at its door, the credential that it was installed with. */
function memberMoments(member: Member, hub: HubFacts): number[] {
  if (isLeaving(member)) return [];
  const grant = grantOf(member);
  const installedMs = Date.parse(member.memory?.install?.time ?? "");
  return [
    ...(grant === undefined ? [] : [answerEndMs(member, grant)]),
    ...(isImportOpen(member, hub) && !Number.isNaN(installedMs) ? [installedMs + clusternetImportLifeMs] : []),
  ];
}

function tokenMoments({ subject }: Extract<Subject, { kind: "token" }>, hub: HubFacts): number[] {
  if (isTokenClosed(subject, hub)) return [];
  return [tokenWarningMs(subject, hub), tokenEndMs(subject, hub)].filter((moment) => moment !== undefined);
}
