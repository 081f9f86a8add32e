import { namespacedName } from "../model/namespaced-name.ts";
import { readMemberState } from "../model/member-state.ts";
import { memberStateObject } from "../model/member-state.ts";
import { credentialSecretName } from "../model/dialects/rollcall.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { appliedFields } from "./applied-fields.ts";
import { findCondition } from "./conditions.ts";
import type { Observed } from "./observed.ts";
import { originOf } from "./member-origin.ts";
import { restoredState } from "./restored-objects.ts";

/** What the hub holds, as far as records tell it, and by name what they do not tell. */
export interface RecordedObjects {
  readonly objects: readonly KubeObject[];
  readonly notes: readonly { readonly cluster: string; readonly text: string }[];
}

/**
 * The objects of a hub that its controllers decide by: clusters, tokens, and of each cluster that joined who it is and
 * which credential it has. Everything else of them follows when the controllers look at it.
 */
export function recordedObjects(
  observed: Observed,
  { records, knownSecrets }: { readonly records: readonly ClusterRecord[]; readonly knownSecrets: ReadonlySet<string> },
): RecordedObjects {
  const clusters = observed.list(resourceTypes.cluster) as readonly Cluster[];
  const byKey = new Map(records.map((record) => [namespacedName(record), record]));
  const objects: KubeObject[] = [
    ...clusters.map((cluster, index) => identified(cluster, index)),
    ...observed.list(resourceTypes.clusterRegistrationToken).map(identified),
  ];
  const notes: { cluster: string; text: string }[] = [];
  for (const cluster of clusters) {
    const key = namespacedName(cluster);
    const record = byKey.get(key);
    const { namespace = "", name } = cluster.metadata;
    const { protocol = "rollcall", kubeConfigSecretRef } = cluster.spec ?? {};
    if (protocol !== "rollcall" && hasJoined(record))
      notes.push({
        cluster: key,
        text: `What the hub holds of Cluster ${key}, which joined by ${protocol}, is not on record.`,
      });
    const restored = record && readMemberState(restoredState(record));
    const credential = restored === undefined ? undefined : credentialOf(record);
    const state = { ...restored, ...(credential ? { credential } : {}), origin: originOf(cluster) };
    objects.push(asApplied(memberStateObject(namespace, name, state)));
    if (credential) objects.push(boundSecret(namespace, { cluster: name, number: credential.number }));
    if (kubeConfigSecretRef === undefined) continue;
    const { name: secret, key: entry = "value" } = kubeConfigSecretRef;
    objects.push(placeholder(namespace, { name: secret, entry }));
    if (!knownSecrets.has(`${namespace}/${secret}`))
      notes.push({
        cluster: key,
        text: `Whether Secret ${namespace}/${secret} with the kubeconfig of ${key} is on the hub is not known here.`,
      });
  }
  return { objects, notes };
}

/** KubeFleet's agents join without a record of it: what they are given by hand, no token brings. */
function hasJoined(record: ClusterRecord | undefined): boolean {
  return record?.join !== undefined || findCondition(record?.conditions, "Joined")?.status === "True";
}

/** The uid of an object that is only on record begins with this. */
const recordedUid = "recorded";

/** Objects of records have no identity; the controllers ask for one. */
function identified(object: KubeObject, index: number): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: { uid: `${recordedUid}-${index}`, resourceVersion: String(index + 1), generation: 2, ...metadata },
  };
}

function credentialOf(record: ClusterRecord | undefined) {
  const number = record?.credentialNumber;
  if (number === undefined || number === 0) return undefined;
  const { time = "1970-01-01T00:00:00Z" } = record?.join ?? {};
  return { number, issuedAt: time, expiresAt: time };
}

function boundSecret(
  namespace: string,
  { cluster, number }: { readonly cluster: string; readonly number: number },
): KubeObject {
  const metadata = { name: credentialSecretName(cluster, number), namespace, labels: { [labelKeys.cluster]: cluster } };
  return asApplied({ apiVersion: "v1", kind: "Secret", metadata, type: "Opaque" });
}

/** A Secret that nobody reads here. */
function placeholder(
  namespace: string,
  { name, entry }: { readonly name: string; readonly entry: string },
): KubeObject {
  const data = { [entry]: Buffer.from("-", "utf8").toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type: "Opaque", data };
}

function asApplied(object: KubeObject): KubeObject {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const fieldsV1 = appliedFields({ ...(rest as Record<string, string>), metadata: { labels: { ...metadata.labels } } });
  const entry = { manager: fieldManagers.hub, operation: "Apply" as const, fieldsV1 };
  return { ...object, metadata: { ...metadata, managedFields: [entry] } };
}
