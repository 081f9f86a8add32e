import { namespacedName } from "../model/namespaced-name.ts";
import type { MemberState } from "../model/member-state.ts";
import { memberStateName, memberStateObject, readMemberState } from "../model/member-state.ts";
import { credentialSecretName } from "../model/dialects/rollcall.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { appliedFields } from "./applied-fields.ts";
import { findCondition } from "./conditions.ts";
import type { Observed } from "./observed.ts";
import { originOf } from "./member-origin.ts";
import { restoredState } from "./restored-objects.ts";

/**
 * The hub's objects, as far as records describe them: clusters, tokens, and the identity and credential of each joined
 * cluster. Objects of a cluster are made on access, so that the work depends on what is read.
 */
export interface RecordedObjects {
  get(ref: ObjectRef): KubeObject | undefined;
  /** Of clusters and tokens; other kinds are found by name alone. */
  list(type: ResourceType): readonly KubeObject[];
  memberOf(workspace: string, name: string): Pick<Member, "cluster" | "children" | "kubeconfigSecret"> | undefined;
  childrenOf(label: string, workspace: string, name: string): readonly KubeObject[];
  memberStateOf(workspace: string, name: string): MemberState | undefined;
  /** What is not on record of these clusters (`workspace/name`). */
  notesOf(clusters: ReadonlySet<string>): string[];
}

/** What is on record of one cluster. */
interface RecordedMember {
  readonly cluster: Cluster;
  readonly state: KubeObject;
  readonly credential?: KubeObject;
  readonly kubeconfigSecret?: KubeObject;
}

interface RecordedPlace {
  readonly observed: Observed;
  readonly byKey: ReadonlyMap<string, readonly [cluster: Cluster, index: number]>;
  readonly recordOf: (key: string) => ClusterRecord | undefined;
}

/** The objects of a hub that its controllers decide by. Everything else follows when the controllers reconcile it. */
export function recordedObjects(
  observed: Observed,
  { records, knownSecrets }: { readonly records: readonly ClusterRecord[]; readonly knownSecrets: ReadonlySet<string> },
): RecordedObjects {
  const clusters = observed.list(resourceTypes.cluster) as readonly Cluster[];
  const byKey = new Map(clusters.map((cluster, index) => [namespacedName(cluster), [cluster, index] as const]));
  const byRecord = new Map(records.map((record) => [namespacedName(record), record]));
  const place: RecordedPlace = { observed, byKey, recordOf: (key) => byRecord.get(key) };
  const made = new Map<string, RecordedMember | undefined>();
  const memberAt = (key: string): RecordedMember | undefined => {
    if (!made.has(key)) made.set(key, makeMember(key, place));
    return made.get(key);
  };
  const tokens = observed.list(resourceTypes.clusterRegistrationToken).map(identified);
  let owners: ReadonlyMap<string, string> | undefined;
  const childrenOf = (label: string, workspace: string, name: string): readonly KubeObject[] => {
    const member = label === labelKeys.cluster ? memberAt(`${workspace}/${name}`) : undefined;
    return member ? [member.state, ...(member.credential ? [member.credential] : [])] : [];
  };
  return {
    get: (ref) => {
      const key = `${ref.namespace ?? ""}/${ref.name}`;
      if (ref.type === resourceTypes.cluster) return memberAt(key)?.cluster;
      if (ref.type === resourceTypes.clusterRegistrationToken)
        return tokens.find((token) => namespacedName(token) === key);
      owners ??= ownersByName(place);
      const owner = owners.get(`${ref.type.kind} ${key}`);
      const { state, credential, kubeconfigSecret } = (owner === undefined ? undefined : memberAt(owner)) ?? {};
      return [state, credential, kubeconfigSecret].find(
        (object) => object?.kind === ref.type.kind && object.metadata.name === ref.name,
      );
    },
    list: (type) => (type === resourceTypes.cluster ? clusters : tokens.filter(({ kind }) => kind === type.kind)),
    memberOf: (workspace, name) => {
      const member = memberAt(`${workspace}/${name}`);
      if (member === undefined) return undefined;
      const { cluster, kubeconfigSecret } = member;
      const children = childrenOf(labelKeys.cluster, workspace, name);
      return { cluster, children, ...(kubeconfigSecret ? { kubeconfigSecret } : {}) };
    },
    childrenOf,
    memberStateOf: (workspace, name) => readMemberState(memberAt(`${workspace}/${name}`)?.state),
    notesOf: (keys) =>
      clusters.flatMap((cluster) => {
        const key = namespacedName(cluster);
        return keys.has(key) ? notesOf(cluster, { record: byRecord.get(key), knownSecrets }) : [];
      }),
  };
}

function makeMember(key: string, { byKey, recordOf }: RecordedPlace): RecordedMember | undefined {
  const [cluster, index] = byKey.get(key) ?? [];
  if (cluster === undefined || index === undefined) return undefined;
  const { namespace = "", name } = cluster.metadata;
  const { kubeConfigSecretRef } = cluster.spec ?? {};
  const record = recordOf(key);
  const restored = record && readMemberState(restoredState(record));
  const credential = restored === undefined ? undefined : credentialOf(record);
  const state = { ...restored, ...(credential ? { credential } : {}), origin: originOf(cluster) };
  const { name: secret, key: entry = "value" } = kubeConfigSecretRef ?? {};
  return {
    cluster: identified(cluster, index),
    state: asApplied(memberStateObject(namespace, name, state)),
    ...(credential ? { credential: boundSecret(namespace, { cluster: name, number: credential.number }) } : {}),
    ...(secret === undefined ? {} : { kubeconfigSecret: placeholder(namespace, { name: secret, entry }) }),
  };
}

/** The cluster of each object that is neither a cluster nor a token, by kind and name. */
function ownersByName({ byKey, recordOf }: RecordedPlace): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const [key, [{ metadata, spec }]] of byKey) {
    const { namespace = "", name } = metadata;
    owners.set(`ConfigMap ${namespace}/${memberStateName(name)}`, key);
    const number = recordOf(key)?.credentialNumber;
    if (number !== undefined) owners.set(`Secret ${namespace}/${credentialSecretName(name, number)}`, key);
    const secret = spec?.kubeConfigSecretRef?.name;
    if (secret !== undefined) owners.set(`Secret ${namespace}/${secret}`, key);
  }
  return owners;
}

function notesOf(
  cluster: Cluster,
  { record, knownSecrets }: { readonly record: ClusterRecord | undefined; readonly knownSecrets: ReadonlySet<string> },
): string[] {
  const key = namespacedName(cluster);
  const { namespace = "" } = cluster.metadata;
  const { protocol = "rollcall", kubeConfigSecretRef } = cluster.spec ?? {};
  const notes: string[] = [];
  if (protocol !== "rollcall" && hasJoined(record))
    notes.push(`What the hub holds of Cluster ${key}, which joined by ${protocol}, is not on record.`);
  if (kubeConfigSecretRef !== undefined && !knownSecrets.has(`${namespace}/${kubeConfigSecretRef.name}`))
    notes.push(
      `Whether Secret ${namespace}/${kubeConfigSecretRef.name} with the kubeconfig of ${key} is on the hub is not known here.`,
    );
  return notes;
}

/** KubeFleet's agents join without a record of it: they receive manually what no token brings. */
function hasJoined(record: ClusterRecord | undefined): boolean {
  return record?.join !== undefined || findCondition(record?.conditions, "Joined")?.status === "True";
}

/** The uid of an object that is only on record begins with this. No name of a cluster or token has an underscore. */
const recordedUid = "recorded_";

/** Objects of records have no identity; the controllers ask for one. */
function identified<T extends KubeObject>(object: T, index: number): T {
  const { metadata } = object;
  return {
    ...object,
    metadata: { uid: `${recordedUid}${index}`, resourceVersion: String(index + 1), generation: 2, ...metadata },
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

/** A Secret whose content is not read here. */
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
