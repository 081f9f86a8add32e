import { namespacedName } from "../model/namespaced-name.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonEqual, withoutEmptyMaps } from "../core/json.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { TokenRecord } from "../model/generated/token-record.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { apiVersionOf, describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { appliedFields } from "./applied-fields.ts";
import { defaultedSpecOf } from "./spec-defaults.ts";
import type { DesiredObject } from "./desired-objects.ts";
import type { Observed } from "./observed.ts";
import { diffGitFields } from "./owned-fields.ts";

export interface RecordedHub {
  /** What the files of the commit that the hub last saw want: as long as nothing failed, that is what it has. */
  readonly desired: readonly DesiredObject[];
  readonly clusters: readonly ClusterRecord[];
  readonly tokens: readonly TokenRecord[];
  /** `<namespace>.<name>` of the Repository. */
  readonly repositoryLabel: string;
  /**
   * Whether what is wanted and has no record is there all the same. False: the records state what is on the hub. True: the
   * plan is asked to start from that commit, wherever the hub is.
   */
  readonly isAllThere: boolean;
}

/**
 * The hub as records and files describe it. Git is the source of truth, so the hub has what a commit declares; records
 * add what came from elsewhere (labels of tokens and agents, clusters without a file, offboardings, suspensions,
 * revocations).
 */
export function observedFromRecords(hub: RecordedHub): Observed {
  const clusterRecords = new Map(hub.clusters.map((record) => [namespacedName(record), record]));
  const tokenKeys = new Set(hub.tokens.map(namespacedName));
  const objects = new Map<string, KubeObject>();
  const add = (type: ResourceType, object: KubeObject): void => {
    objects.set(describeRef(refOf(type, object)), object);
  };
  for (const { ref, object } of hub.desired) {
    const key = namespacedName(object);
    if (ref.type === resourceTypes.cluster) {
      const record = clusterRecords.get(key);
      if (record || hub.isAllThere) add(ref.type, liveCluster(object, record));
      clusterRecords.delete(key);
    } else if (ref.type === resourceTypes.clusterRegistrationToken) {
      if (tokenKeys.has(key) || hub.isAllThere) add(ref.type, asLive(object));
      tokenKeys.delete(key);
    } else {
      add(ref.type, asLive(object));
    }
  }
  for (const record of clusterRecords.values())
    add(resourceTypes.cluster, unwantedCluster(record, hub.repositoryLabel));
  for (const record of hub.tokens.filter((token) => tokenKeys.has(namespacedName(token)))) {
    add(resourceTypes.clusterRegistrationToken, unwantedToken(record, hub.repositoryLabel));
  }
  const byKind = new Map<string, KubeObject[]>();
  for (const object of objects.values()) {
    const known = byKind.get(object.kind);
    if (known) known.push(object);
    else byKind.set(object.kind, [object]);
  }
  return {
    isComplete: true,
    get: (ref: ObjectRef) => objects.get(describeRef(ref)),
    list: ({ kind }) => byKind.get(kind) ?? [],
    // Records do not list namespaces: the hub checks whether a new one is a workspace.
    isWorkspace: () => true,
  };
}

/** Labels that came from token and agent, as mergeLabels takes them. */
export function rememberedLabelsOf(
  record: ClusterRecord,
): { token?: Record<string, string>; agent?: Record<string, string> } | undefined {
  if (record.labels === undefined) return undefined;
  return { token: labelsOf(record, "Token"), agent: labelsOf(record, "Agent") };
}

function liveCluster(desired: KubeObject, record: ClusterRecord | undefined): KubeObject {
  if (record === undefined) return asLive(desired);
  const repository = desired.metadata.labels?.[labelKeys.repository];
  const labels = {
    ...labelsOf(record, "File", "Rule"),
    ...(repository === undefined ? {} : { [labelKeys.repository]: repository }),
  };
  const isAsWanted = record.held === undefined && isJsonEqual(labels, desired.metadata.labels ?? {});
  const annotations = record.held?.annotations ?? desired.metadata.annotations ?? {};
  const spec = record.held?.spec ?? desired["spec"];
  const applied = isAsWanted ? desired : { ...desired, metadata: { ...desired.metadata, labels, annotations }, spec };
  return asLive(applied, {
    labels: { ...labelsOf(record, "Token", "Agent"), ...labels },
    annotations: { ...annotations, ...annotationsOf(record) },
    ...statusOf(record),
  });
}

function labelsOf({ labels = {} }: ClusterRecord, ...owners: readonly string[]): Record<string, string> {
  const own = Object.entries(labels).filter(([, { owner }]) => owners.includes(owner));
  return Object.fromEntries(own.map(([key, { value }]) => [key, value]));
}

interface LiveParts {
  /** All of them, those of other writers too. Default: those that were applied. */
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly status?: unknown;
}

/**
 * An object as an API server stores it after an apply by rollcall-git: with defaults, and with the fields it owns. Both
 * are computed only on access, since most objects of a fleet are unchanged and never read.
 */
function asLive(applied: KubeObject, { labels, annotations, status }: LiveParts = {}): KubeObject {
  let spec: JsonObject | undefined;
  let fieldsV1: JsonObject | undefined;
  const { metadata } = applied;
  const live: KubeObject = {
    ...applied,
    ...(status === undefined ? {} : { status }),
    metadata: {
      ...metadata,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      managedFields: [
        {
          manager: fieldManagers.git,
          operation: "Apply",
          get fieldsV1() {
            return (fieldsV1 ??= gitFields(applied));
          },
        },
      ],
    },
    get spec() {
      return (spec ??= defaultedSpecOf(applied));
    },
  };
  diffGitFields.record([], applied, live);
  return live;
}

function gitFields({ apiVersion: _apiVersion, kind: _kind, metadata, ...rest }: KubeObject): JsonObject {
  const { labels = {}, annotations = {} } = metadata;
  return appliedFields({ ...(rest as JsonObject), metadata: withoutEmptyMaps({ labels, annotations }) ?? {} });
}

/** A cluster that no file wants: one that joined by a token, or whose removal waits. */
function unwantedCluster(record: ClusterRecord, repositoryLabel: string): KubeObject {
  const type = resourceTypes.cluster;
  const { name, namespace } = record.metadata;
  const applied: KubeObject = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labelsOf(record, "File", "Rule"), [labelKeys.repository]: repositoryLabel },
      annotations: record.held?.annotations ?? {},
    },
    spec: record.held?.spec ?? (record.protocol === "rollcall" ? {} : { protocol: record.protocol }),
  };
  const isGits = record.source?.file !== undefined;
  const live = asLive(applied);
  const byHub = { manager: fieldManagers.hub, operation: "Apply" as const, fieldsV1: {} };
  return {
    ...live,
    metadata: {
      ...live.metadata,
      labels: { ...labelsOf(record, "Token", "Agent"), ...live.metadata.labels },
      annotations: { ...live.metadata.annotations, ...annotationsOf(record) },
      ...(isGits ? {} : { managedFields: [byHub] }),
    },
    ...statusOf(record),
  };
}

function unwantedToken(record: TokenRecord, repositoryLabel: string): KubeObject {
  const type = resourceTypes.clusterRegistrationToken;
  const { name, namespace } = record.metadata;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [labelKeys.repository]: repositoryLabel },
      annotations: record.source?.file === undefined ? {} : { [annotationKeys.sourceFile]: record.source.file },
      managedFields: [{ manager: fieldManagers.git, operation: "Apply", fieldsV1: {} }],
    },
  };
}

function annotationsOf({ source, leave, suspended, revoked }: ClusterRecord): Record<string, string> {
  return {
    ...(source?.file === undefined ? {} : { [annotationKeys.sourceFile]: source.file }),
    ...(source?.commit === undefined ? {} : { [annotationKeys.sourceCommit]: source.commit }),
    ...(leave === undefined ? {} : { [annotationKeys.leave]: leave.commit ?? "" }),
    ...(suspended === true ? { [annotationKeys.reconcile]: "disabled" } : {}),
    ...(revoked === undefined
      ? {}
      : { [annotationKeys.revoked]: [revoked.blob ?? "-", revoked.by ?? "", revoked.time ?? ""].join("/") }),
  };
}

function statusOf({ agent }: ClusterRecord): { status?: unknown } {
  return agent === undefined ? {} : { status: { agent } };
}
