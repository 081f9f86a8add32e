import { resourceTypes } from "../../../model/resource-types.ts";
import type { Credentials } from "../../join.ts";
import { namesNoSecrets } from "../../neutral.ts";
import { pendingBootstrap } from "./bootstrap.ts";
import { deliverCredential } from "./deliver.ts";
import { memberDueAtMs, tokenDueAtMs } from "./due-at.ts";
import { keptMemberObjects, keptTokenObjects } from "./kept-objects.ts";
import { memberCredentialsDue, tokenCredentialsDue } from "./credentials-due.ts";
import { rejoinOf } from "./rejoin.ts";

export const credentials = {
  ownedTypes: [
    resourceTypes.serviceAccount,
    resourceTypes.secret,
    resourceTypes.role,
    resourceTypes.roleBinding,
    resourceTypes.clusterReport,
    resourceTypes.lease,
    resourceTypes.configMap,
  ],
  keptObjects: (subject, hub) =>
    subject.kind === "member" ? keptMemberObjects(subject.member, hub) : keptTokenObjects(subject.subject, hub),
  dueAtMs: (subject, hub) =>
    subject.kind === "member" ? memberDueAtMs(subject.member, hub) : tokenDueAtMs(subject.subject, hub),
  credentialsDue: (subject, hub) =>
    subject.kind === "member" ? memberCredentialsDue(subject.member, hub) : tokenCredentialsDue(subject.subject, hub),
  deliver: async (subject, credential, hub, entropy) => deliverCredential(subject, credential, hub, entropy),
  pendingBootstrap: (member, hub) => {
    const pending = pendingBootstrap(member, hub);
    return pending === undefined ? undefined : { number: pending.number, values: { ...pending.values } };
  },
  rejoinOf,
  namedSecrets: namesNoSecrets,
} satisfies Credentials;
