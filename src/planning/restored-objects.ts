import type { MemberState, MemberJoin } from "../model/member-state.ts";
import { memberStateObject } from "../model/member-state.ts";
import { internalTokenName, registrationName } from "../model/dialects/rollcall.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";

/**
 * What a hub must be given again of a member, from its record in the status branch: who it is, but no credential. Undefined
 * for one that never joined, that was leaving, or of another protocol: its agent cannot come back by itself. `tokenUses`: how
 * often its token was used, by the token's record; a token that the hub does not have yet counts on from there. Default 0.
 */
export function restoredState(record: ClusterRecord, tokenUses = 0): KubeObject | undefined {
  const { metadata, keys: [key] = [], leave } = record;
  if (key === undefined || leave !== undefined || record.protocol !== "rollcall") return undefined;
  const { name, namespace = "" } = metadata;
  const labels = { token: labelsOf(record, "Token"), agent: labelsOf(record, "Agent") };
  const state: MemberState = {
    ...(record.clientID === undefined ? {} : { clientID: record.clientID }),
    keys: { signing: key.signingKey, sealing: key.sealingKey },
    join: joinOf(record, key.digest, tokenUses),
    ...(record.credentialNumber === undefined ? {} : { lastCredentialNumber: record.credentialNumber }),
    labels: {
      ...(labels.token ? { token: labels.token } : {}),
      ...(labels.agent ? { agent: labels.agent } : {}),
    },
  };
  return memberStateObject(namespace, name, state);
}

/** An object, and in whose name it is written. */
export interface RestoredObject {
  readonly object: KubeObject;
  readonly manager: string;
}

/**
 * The Cluster of a record. One without a file is owned by the hub, with the fields that its agent and token set. One
 * with a file is owned by git and has only its identity: the first run applies its file. If that file was deleted while
 * the hub was lost, the cluster is offboarded; if another file has it as previousName, it moves. A command of a user (a
 * revocation) must be restored first, or the agent would be admitted again.
 */
export function restoredCluster(record: ClusterRecord, repositoryLabel: string): RestoredObject[] {
  const { metadata, revoked, source } = record;
  const type = resourceTypes.cluster;
  const made = (labels: Record<string, string>, annotations: Record<string, string>, spec: object): KubeObject => ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace ?? "",
      labels: { ...labels, [labelKeys.repository]: repositoryLabel },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec,
  });
  const revocation: Record<string, string> = revoked
    ? { [annotationKeys.revoked]: [revoked.blob, revoked.by, revoked.time].join("/") }
    : {};
  if (source?.file === undefined) {
    const labels = { ...labelsOf(record, "Token"), ...labelsOf(record, "Agent") };
    return [{ object: made(labels, revocation, specOf(record)), manager: fieldManagers.hub }];
  }
  // Its kubeconfig is not on record: what the hub installed is to be removed all the same.
  const isHubs = (record.join?.mode ?? record.joinMode) === "HubInitiated";
  const spec = { ...specOf(record), ...(isHubs ? { deletionPolicy: "Uninstall" } : {}) };
  const declared = made({}, { [annotationKeys.sourceFile]: source.file }, spec);
  return [
    { object: declared, manager: fieldManagers.git },
    ...(revoked ? [{ object: made({}, revocation, {}), manager: fieldManagers.hub }] : []),
  ];
}

function specOf({ protocol, clientID, displayName }: ClusterRecord): Record<string, unknown> {
  return {
    protocol,
    ...(clientID === undefined ? {} : { clientID }),
    ...(displayName === undefined ? {} : { displayName }),
  };
}

function joinOf({ metadata, join, joinMode }: ClusterRecord, digest: string, tokenUses: number): MemberJoin {
  const isHub = (join?.mode ?? joinMode) === "HubInitiated";
  const token = isHub ? internalTokenName(metadata.name) : (join?.token ?? "restored");
  return {
    ...(isHub || join?.token === undefined ? {} : { token: join.token, ...countOf(tokenUses) }),
    time: join?.time ?? "1970-01-01T00:00:00Z",
    registration: registrationName(token, digest),
    initiated: isHub ? "hub" : "agent",
  };
}

function countOf(tokenUses: number): Pick<MemberJoin, "tokenUse"> {
  return tokenUses > 0 ? { tokenUse: tokenUses } : {};
}

function labelsOf({ labels = {} }: ClusterRecord, owner: "Token" | "Agent"): Record<string, string> | undefined {
  const owned = Object.entries(labels).filter(([, label]) => label.owner === owner);
  return owned.length === 0 ? undefined : Object.fromEntries(owned.map(([key, { value }]) => [key, value]));
}
