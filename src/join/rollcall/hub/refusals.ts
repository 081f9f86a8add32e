import { textAt } from "../../../core/read-json.ts";
import type { Cluster } from "../../../model/generated/cluster.ts";
import type { ClusterRegistrationStatus } from "../../../model/generated/cluster-registration.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { toTime } from "../../../planning/conditions.ts";
import type { StatusWrite } from "../../join.ts";

/** Why a registration is refused, and what a person does about it. `KEY` represents the digest of the agent's key. */
const refusalReasons = {
  Malformed: "The registration is not of the form that this hub reads. Install an agent of this version.",
  UnsupportedVersion:
    "The agent speaks a version of the protocol that this hub does not know. Update the hub or the agent.",
  WrongName: "The registration's name does not fit its token and key.",
  UnknownToken: "There is no such token. Install the agent with the values of a token that exists.",
  ProofInvalid: "The agent was not given this token's values, or they were changed on the way.",
  TokenClosed: "The token ended or was revoked. Install the agent with the values of another one.",
  TokenUsedUp: "The token was used as often as maxRegistrations allows. Raise it in the token's file.",
  ProtocolMismatch:
    "The cluster joins by another protocol: see spec.protocol in its file. To run both agents in it, give this one another ID: --client-id.",
  ClusterLeaving: "The cluster is leaving the fleet. Wait until it has left, or bring its file back.",
  ClusterMoving:
    "The cluster of this name is being renamed, and keeps it until its agent works under the new one. Wait, or choose another name.",
  ClusterRevoked: "The cluster was revoked. Change its file to let it in again.",
  KeyMismatch:
    "The cluster's file names other keys. If this agent is to be the cluster, put its key KEY into spec.identity.keys.",
  ClientIDTaken:
    "Another agent is this cluster already. If it was installed anew, put this agent's key KEY into spec.identity.keys.",
  ClientIDMismatch:
    "The cluster's file names another clientID. Correct it, or install the agent with that one: --client-id.",
  ClientIDAmbiguous: "More than one cluster has this clientID. Correct the files.",
  NameTaken:
    "Another cluster joined under this name. Choose another name, or put this agent's key KEY into spec.identity.keys.",
  NameNeeded:
    "The token does not allow the name that is made from the clientID. Give the agent a name: --cluster-name.",
  NameInvalid: "The name is not a DNS label of at most 63 characters.",
  NameNotAllowed: "The token's clusterNames do not allow this name. Choose another one, or add it to the token's file.",
  ClaimNotNamed:
    "The cluster is declared without keys. Only a token whose clusterNames writes its name out may be the first to claim it.",
  IdentityLost:
    "The hub does not remember who this cluster is. Put this agent's key KEY into spec.identity.keys, or restore the hub.",
} as const;

export type RefusalReason = keyof typeof refusalReasons;

interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  /** Of the agent that asks; a registration that cannot be read has none. */
  readonly keyDigest?: string;
  readonly hub: HubFacts;
}

/** The status of a refused registration. A repeated result keeps its time, so that it causes no write. */
export function refusalWrite(registration: KubeObject, { reason, detail, keyDigest = "", hub }: Refusal): StatusWrite {
  const message = `${detail} ${refusalReasons[reason].replace("KEY", keyDigest)}`.trim();
  return resultWrite(registration, { decision: "Refused", reason, message }, hub);
}

/** The status of a registration that waits for a file to be merged. Another agent may have asked for the same cluster. */
export function proposalWrite(registration: KubeObject, { metadata, spec }: Cluster, hub: HubFacts): StatusWrite {
  const clusterName = metadata.name;
  const key = spec?.identity?.keys?.join() ?? "";
  // What an earlier version wrote of it stays: an update writes nothing.
  const known = (field: string): string | undefined => textAt(registration, "status", field);
  const isKnown = known("decision") === "Proposed" && known("clusterName") === clusterName;
  const message =
    (isKnown ? known("message") : undefined) ??
    `A file of cluster ${clusterName} is proposed; the agent comes in when one with its key ${key} is merged.`;
  return resultWrite(registration, { decision: "Proposed", reason: "AwaitingMerge", message, clusterName }, hub);
}

type Decision = Pick<ClusterRegistrationStatus, "decision" | "reason" | "message" | "clusterName">;

function resultWrite(registration: KubeObject, result: Decision, hub: HubFacts): StatusWrite {
  const { name, namespace, generation } = registration.metadata;
  const isRepeated =
    textAt(registration, "status", "decision") === result.decision &&
    textAt(registration, "status", "reason") === result.reason &&
    textAt(registration, "status", "message") === result.message;
  const before = textAt(registration, "status", "decidedTime");
  const decidedTime = isRepeated && before !== undefined ? before : toTime(hub.nowMs);
  const observed: ClusterRegistrationStatus = generation === undefined ? {} : { observedGeneration: generation };
  return {
    ref: { type: resourceTypes.clusterRegistration, namespace, name },
    status: { ...observed, ...result, decidedTime },
  };
}
