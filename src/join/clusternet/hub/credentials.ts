import { AppError } from "../../../core/errors.ts";
import { smallestOf } from "../../../core/extremes.ts";
import { memberStateName } from "../../../model/member-state.ts";
import { clusternetImportLifeMs } from "../../../model/dialects/clusternet.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { isTokenClosed, tokenEndMs, tokenWarningMs } from "../../../planning/token-life.ts";
import type { Credentials, NewCredential, Subject } from "../../join.ts";
import { isLeaving } from "../../member-state.ts";
import { namesNoSecrets, neverRejoins } from "../../neutral.ts";
import { deliverAnswer, memberCredentialsDue } from "./answer.ts";
import { deliverToToken, keptTokenObjects, tokenCredentialsDue } from "./desired-token-objects.ts";
import type { TokenCredentials } from "./token-credentials.ts";
import { isImportOpen, pendingImport } from "./import-state.ts";
import { answerEndMs, grantOf } from "./member-facts.ts";

export function credentialsBy(credentials: TokenCredentials) {
  return {
    ownedTypes: [
      resourceTypes.serviceAccount,
      resourceTypes.secret,
      resourceTypes.roleBinding,
      resourceTypes.clusterRole,
      resourceTypes.clusterRoleBinding,
      resourceTypes.managedCluster,
    ],
    keptObjects: (subject: Subject, hub: HubFacts) => keptObjects(credentials, subject, hub),
    dueAtMs,
    credentialsDue: (subject: Subject, hub: HubFacts) =>
      subject.kind === "member"
        ? memberCredentialsDue(subject.member, hub)
        : tokenCredentialsDue(credentials, subject.subject, hub),
    deliver: async (subject: Subject, credential: NewCredential, hub: HubFacts) => {
      if (subject.kind === "token") return deliverToToken(credentials, subject.subject, credential, hub);
      if (credential.due.purpose === "working") return deliverAnswer(subject.member, credential, hub);
      throw new AppError("E_BUG", `deliver a credential: unknown purpose ${credential.due.purpose}`);
    },
    pendingBootstrap: pendingImport,
    rejoinOf: neverRejoins,
    namedSecrets: namesNoSecrets,
  } satisfies Credentials;
}

function keptObjects(credentials: TokenCredentials, subject: Subject, hub: HubFacts): ObjectRef[] {
  if (subject.kind === "token") return keptTokenObjects(credentials, subject.subject, hub);
  const { workspace: namespace, name } = subject.member;
  return [{ type: resourceTypes.configMap, namespace, name: memberStateName(name) }];
}

function dueAtMs(subject: Subject, hub: HubFacts): number | undefined {
  const moments = subject.kind === "member" ? memberMoments(subject.member, hub) : tokenMoments(subject, hub);
  const future = moments.filter((moment) => moment > hub.nowMs);
  return future.length === 0 ? undefined : smallestOf(future);
}

/** When something of a member ends by time alone: the answer to its token, the credential that it was installed with. */
function memberMoments(member: Member, hub: HubFacts): number[] {
  if (isLeaving(member)) return [];
  const grant = grantOf(member);
  const installedMs = Date.parse(member.state?.install?.time ?? "");
  return [
    ...(grant === undefined ? [] : [answerEndMs(member, grant)]),
    ...(isImportOpen(member, hub) && !Number.isNaN(installedMs) ? [installedMs + clusternetImportLifeMs] : []),
  ];
}

function tokenMoments({ subject }: Extract<Subject, { kind: "token" }>, hub: HubFacts): number[] {
  if (isTokenClosed(subject, hub)) return [];
  return [tokenWarningMs(subject, hub), tokenEndMs(subject, hub)].filter((moment) => moment !== undefined);
}
