import { textAt } from "../../../core/read-json.ts";
import { clusternetKeys } from "../../../model/dialects/clusternet.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Delivery, CredentialDue, NewCredential, StatusWrite } from "../../join.ts";
import { childByRef, isLeaving, isRevoked } from "../../member-state.ts";
import { accountTokenName } from "../../render-access.ts";
import {
  agentAccountRef,
  grantOf,
  homeBindingRef,
  homeNamespaceOf,
  managedClusterOf,
  managedClusterRef,
  requestBindingRef,
  requestOf,
} from "./member-facts.ts";
import type { Grant } from "./member-facts.ts";

/**
 * The answer to a granted request, as long as it is not there as it should be. An agent reads it again at each start, so it
 * stays. Everything that the agent does with it at once must be in place before.
 */
export function memberCredentialsDue(member: Member, hub: HubFacts): CredentialDue[] {
  const grant = grantOf(member);
  const request = requestOf(member);
  if (grant === undefined || request === undefined || isLeaving(member) || isRevoked(member)) return [];
  if (request.metadata.uid !== grant.requestUid) return [];
  const needed = [homeBindingRef(member), requestBindingRef(member), managedClusterRef(member)];
  if (needed.some((ref) => childByRef(member, ref) === undefined)) return [];
  // The agent lists its ManagedCluster by this label once, and again only at its next heartbeat.
  if (managedClusterOf(member)?.metadata.labels?.[clusternetKeys.clusterId] !== grant.clusterId) return [];
  const secret = accountTokenName(agentAccountRef(member, grant).name);
  const encoded = textAt(childByRef(member, secretRef(member, secret)), "data", "token");
  const wanted = answerStatus(member, encoded ?? "", hub);
  const isThere = Object.entries(wanted).every(([key, value]) => textAt(request, "status", key) === value);
  if (encoded !== undefined && isThere && textAt(request, "status", "errorMessage") === undefined) return [];
  const how = { kind: "token-secret", secret } as const;
  return [{ purpose: "working", workspace: member.workspace, how, reason: "the agent was admitted" }];
}

export function deliverAnswer(member: Member, credential: NewCredential, hub: HubFacts): Delivery {
  const grant = grantOf(member);
  if (grant === undefined) return { objects: [], statusWrites: [] };
  const token = Buffer.from(credential.token ?? "", "utf8").toString("base64");
  return { objects: [], statusWrites: [{ ref: requestRef(grant), status: answerStatus(member, token, hub) }] };
}

/** What an agent that was admitted and is trusted no more finds instead: no credential. */
export function revokedAnswer(member: Member): StatusWrite[] {
  const grant = grantOf(member);
  const request = requestOf(member);
  if (grant === undefined || request?.metadata.uid !== grant.requestUid) return [];
  const errorMessage = `cluster ${member.name} was revoked; change its file to let it in again`;
  return [{ ref: requestRef(grant), status: { result: "Denied", errorMessage } }];
}

/** As Clusternet's own controllers answer; an agent checks the hub's certificate by this CA from then on. */
function answerStatus(member: Member, token: string, hub: HubFacts): Record<string, string> {
  const caBundle = member.cluster.spec?.hubEndpoint?.caBundle ?? hub.endpoint.caBundle;
  return {
    result: "Approved",
    dedicatedNamespace: homeNamespaceOf(member),
    managedClusterName: member.name,
    token,
    ...(caBundle === "" ? {} : { caCertificate: Buffer.from(caBundle, "utf8").toString("base64") }),
  };
}

function requestRef({ request }: Grant): ObjectRef {
  return { type: resourceTypes.registrationRequest, name: request };
}

function secretRef({ workspace }: Member, name: string): ObjectRef {
  return { type: resourceTypes.secret, namespace: workspace, name };
}
