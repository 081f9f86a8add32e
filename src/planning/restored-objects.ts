import type { ClusterMemory, MemberJoin } from "../model/cluster-memory.ts";
import { memoryObject } from "../model/cluster-memory.ts";
import { internalTokenName, registrationName } from "../model/dialects/rollcall.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";

/**
 * What a hub must be given again of a member, from its record in the status branch: who it is, but no credential. Undefined
 * for one that never joined, that was leaving, or of another protocol: its agent cannot come back by itself.
 */
export function restoredMemory(record: ClusterRecord): KubeObject | undefined {
  const { metadata, keys: [key] = [], leave } = record;
  if (key === undefined || leave !== undefined || record.protocol !== "rollcall") return undefined;
  const { name, namespace = "" } = metadata;
  const labels = { token: labelsOf(record, "Token"), agent: labelsOf(record, "Agent") };
  const memory: ClusterMemory = {
    ...(record.clientID === undefined ? {} : { clientID: record.clientID }),
    keys: { signing: key.signingKey, sealing: key.sealingKey },
    join: joinOf(record, key.digest),
    ...(record.credentialNumber === undefined ? {} : { lastCredentialNumber: record.credentialNumber }),
    labels: {
      ...(labels.token ? { token: labels.token } : {}),
      ...(labels.agent ? { agent: labels.agent } : {}),
    },
  };
  return memoryObject(namespace, name, memory);
}

/**
 * The Cluster of a record that nobody else makes: one without a file. One with a file is made by git, but what a person said
 * by command (a revocation) must be there before, or the agent would be let in again.
 */
export function restoredCluster(record: ClusterRecord, repositoryLabel: string): KubeObject | undefined {
  const { metadata, revoked, source } = record;
  if (source?.file !== undefined && revoked === undefined) return undefined;
  const { name, namespace = "" } = metadata;
  const type = resourceTypes.cluster;
  const annotations = revoked
    ? { annotations: { [annotationKeys.revoked]: [revoked.blob, revoked.by, revoked.time].join("/") } }
    : {};
  const labels = source?.file === undefined ? { ...labelsOf(record, "Token"), ...labelsOf(record, "Agent") } : {};
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name, namespace, labels: { ...labels, [labelKeys.repository]: repositoryLabel }, ...annotations },
    spec: source?.file === undefined ? specOf(record) : {},
  };
}

function specOf({ protocol, clientID, displayName }: ClusterRecord): Record<string, unknown> {
  return {
    protocol,
    ...(clientID === undefined ? {} : { clientID }),
    ...(displayName === undefined ? {} : { displayName }),
  };
}

function joinOf({ metadata, join, joinMode }: ClusterRecord, digest: string): MemberJoin {
  const isHub = (join?.mode ?? joinMode) === "HubInitiated";
  const token = isHub ? internalTokenName(metadata.name) : (join?.token ?? "restored");
  return {
    ...(isHub || join?.token === undefined ? {} : { token: join.token }),
    time: join?.time ?? "1970-01-01T00:00:00Z",
    registration: registrationName(token, digest),
    initiated: isHub ? "hub" : "agent",
  };
}

function labelsOf({ labels = {} }: ClusterRecord, owner: "Token" | "Agent"): Record<string, string> | undefined {
  const owned = Object.entries(labels).filter(([, label]) => label.owner === owner);
  return owned.length === 0 ? undefined : Object.fromEntries(owned.map(([key, { value }]) => [key, value]));
}
