import { AppError } from "../../../core/errors.ts";
import { smallestOf } from "../../../core/extremes.ts";
import { memberStateName } from "../../../model/member-state.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Credentials, Subject } from "../../join.ts";
import { childByRef, isLeaving } from "../../member-state.ts";
import { namesNoSecrets, neverRejoins } from "../../neutral.ts";
import { internalRef, joinStateOf } from "./member-facts.ts";
import { mirrorIntervalMs } from "./mirror.ts";
import {
  credentialMoments,
  deliverToken,
  memberCredentialsDue,
  pendingInstall,
  usableCredentials,
} from "./working-token.ts";

export const credentials = {
  ownedTypes: [resourceTypes.serviceAccount, resourceTypes.secret, resourceTypes.role, resourceTypes.roleBinding],
  keptObjects,
  dueAtMs,
  credentialsDue: (subject, hub) => (subject.kind === "member" ? memberCredentialsDue(subject.member, hub) : []),
  deliver: async (subject, credential) => {
    if (subject.kind === "member" && credential.due.purpose === "working")
      return deliverToken(subject.member, credential);
    throw new AppError("E_BUG", `deliver a credential: unknown purpose ${credential.due.purpose}`);
  },
  pendingBootstrap: pendingInstall,
  rejoinOf: neverRejoins,
  namedSecrets: namesNoSecrets,
} satisfies Credentials;

function keptObjects(subject: Subject, hub: HubFacts): ObjectRef[] {
  if (subject.kind === "token") return [];
  const { member } = subject;
  const state = { type: resourceTypes.configMap, namespace: member.workspace, name: memberStateName(member.name) };
  return [state, ...usableCredentials(member, hub)];
}

function dueAtMs(subject: Subject, hub: HubFacts): number | undefined {
  if (subject.kind === "token" || isLeaving(subject.member)) return undefined;
  const { member } = subject;
  const isSendingHeartbeats =
    joinStateOf(childByRef(member, internalRef(member))) === "Joined" && isHealthKnown(member);
  const moments = [...credentialMoments(member), ...(isSendingHeartbeats ? [hub.nowMs + mirrorIntervalMs] : [])];
  const future = moments.filter((moment) => moment > hub.nowMs);
  return future.length === 0 ? undefined : smallestOf(future);
}

/** While an agent is unresponsive there is nothing new to copy. */
function isHealthKnown({ cluster }: Member): boolean {
  return cluster.status?.conditions?.find(({ type }) => type === "Healthy")?.status !== "Unknown";
}
