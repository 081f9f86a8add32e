import { AppError } from "../../../core/errors.ts";
import { smallestOf } from "../../../core/extremes.ts";
import { memberStateName } from "../../../model/member-state.ts";
import { fleetAnswerLifeMs } from "../../../model/dialects/fleet.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isTokenClosed, tokenEndMs, tokenWarningMs } from "../../../planning/token-life.ts";
import type { Credentials, Subject } from "../../join.ts";
import { isLeaving, isRevoked, refOfChild } from "../../member-state.ts";
import { namesNoSecrets, neverRejoins } from "../../neutral.ts";
import { deliverAnswer, memberCredentialsDue } from "./answer.ts";
import { deliverTokenValues, tokenCredentialsDue } from "./desired-token-objects.ts";
import { importEndMs, isImportOpen, pendingImport } from "./import-state.ts";
import { answerRef, formerAccountsOf, grantOf, hasPreviousGrant, isAnswerOpen } from "./member-facts.ts";

export const credentials = {
  ownedTypes: [
    resourceTypes.serviceAccount,
    resourceTypes.secret,
    resourceTypes.role,
    resourceTypes.roleBinding,
    resourceTypes.clusterRoleBinding,
    resourceTypes.fleetRegistrationToken,
  ],
  keptObjects,
  dueAtMs,
  credentialsDue: (subject, hub) =>
    subject.kind === "member" ? memberCredentialsDue(subject.member, hub) : tokenCredentialsDue(subject.subject, hub),
  deliver: async (subject, credential, hub) => {
    if (subject.kind === "token") return deliverTokenValues(subject.subject, credential, hub);
    if (credential.due.purpose === "working") return deliverAnswer(subject.member, credential);
    throw new AppError("E_BUG", `deliver a credential: unknown purpose ${credential.due.purpose}`);
  },
  pendingBootstrap: pendingImport,
  rejoinOf: neverRejoins,
  namedSecrets: namesNoSecrets,
} satisfies Credentials;

function keptObjects(subject: Subject, hub: HubFacts): ObjectRef[] {
  if (subject.kind === "token") {
    const { workspace: namespace, name } = subject.subject;
    return isTokenClosed(subject.subject, hub) ? [] : [{ type: resourceTypes.secret, namespace, name }];
  }
  const { member } = subject;
  const state = { type: resourceTypes.configMap, namespace: member.workspace, name: memberStateName(member.name) };
  const grant = openGrant(member, hub);
  const isPreviousGood = hasPreviousGrant(member) && !isLeaving(member) && !isRevoked(member);
  const former = isPreviousGood ? formerAccountsOf(member).flatMap(refOfChild) : [];
  return [state, ...former, ...(grant === undefined ? [] : [answerRef(grant)])];
}

function dueAtMs(subject: Subject, hub: HubFacts): number | undefined {
  const moments =
    subject.kind === "member"
      ? memberMoments(subject.member, hub)
      : isTokenClosed(subject.subject, hub)
        ? []
        : [tokenWarningMs(subject.subject, hub), tokenEndMs(subject.subject, hub)];
  const future = moments.filter((moment): moment is number => moment !== undefined && moment > hub.nowMs);
  return future.length === 0 ? undefined : smallestOf(future);
}

/** When something of a member ends by time alone: its answer, and the account that its agent was installed with. */
function memberMoments(member: Member, hub: HubFacts): readonly (number | undefined)[] {
  const grant = openGrant(member, hub);
  return [
    grant === undefined ? undefined : grant.grantedMs + fleetAnswerLifeMs,
    isImportOpen(member, hub) ? importEndMs(member) : undefined,
  ];
}

/** A grant whose answer may still be read. */
function openGrant(member: Member, hub: HubFacts) {
  const grant = grantOf(member);
  if (grant === undefined || isLeaving(member) || isRevoked(member)) return undefined;
  return isAnswerOpen(grant, hub) ? grant : undefined;
}
