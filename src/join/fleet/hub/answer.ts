import { fleetKeys, fleetSecretTypes, fleetSystemNamespace } from "../../../model/dialects/fleet.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Delivery, CredentialDue, NewCredential } from "../../join.ts";
import { childByRef, isLeaving, isRevoked, outsideLabels } from "../../member-state.ts";
import { answerRef, contentBindingName, grantOf, homeNamespaceOf, isAnswerOpen } from "./member-facts.ts";
import { accountTokenName } from "../../render-access.ts";

/**
 * The answer to a granted request, while its agent may wait for it and it is not there: everything that the agent does with
 * it at once must be in place before, or the agent gives up and asks anew a minute later.
 */
export function memberCredentialsDue(member: Member, hub: HubFacts): CredentialDue[] {
  const grant = grantOf(member);
  if (grant === undefined || isLeaving(member) || isRevoked(member) || !isAnswerOpen(grant, hub)) return [];
  if (childByRef(member, answerRef(grant)) !== undefined) return [];
  const { registration, account } = grant;
  const { workspace } = member;
  const needed = [
    { type: resourceTypes.roleBinding, namespace: homeNamespaceOf(member), name: registration },
    { type: resourceTypes.roleBinding, namespace: workspace, name: registration },
    { type: resourceTypes.clusterRoleBinding, name: contentBindingName(grant) },
  ];
  if (needed.some((ref) => childByRef(member, ref) === undefined)) return [];
  const how = { kind: "token-secret", secret: accountTokenName(account) } as const;
  return [{ purpose: "working", workspace, how, reason: "the agent was admitted" }];
}

/** The Secret that the agent asks for again and again, by the name that it worked out itself. */
export function deliverAnswer(member: Member, credential: NewCredential): Delivery {
  const grant = grantOf(member);
  if (grant === undefined) return { objects: [], statusWrites: [] };
  const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  const { name, namespace } = answerRef(grant);
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...outsideLabels(member), [fleetKeys.cluster]: member.name, [fleetKeys.managed]: "true" },
  };
  const data = {
    token: encode(credential.token ?? ""),
    deploymentNamespace: encode(homeNamespaceOf(member)),
    clusterNamespace: encode(member.workspace),
    clusterName: encode(member.name),
    systemNamespace: encode(fleetSystemNamespace),
  };
  return {
    objects: [{ apiVersion: "v1", kind: "Secret", metadata, type: fleetSecretTypes.credential, data }],
    statusWrites: [],
  };
}
