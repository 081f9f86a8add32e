// model: the types of the domain. Those that mirror a schema are generated (generated/); dialects/ has the facts of
// each join protocol. Nothing here does I/O.
import type { JsonObject } from "../core/json.ts";

/** Source: Kubernetes API, meta/v1 ObjectMeta, as far as it is used here. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** Any Kubernetes object. Typed objects extend it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Source: Kubernetes API, meta/v1 Condition. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** Source: Kubernetes API, meta/v1 Status: what an API server answers when it refuses. */
export interface KubeStatus {
  kind: "Status";
  apiVersion: "v1";
  metadata?: Record<string, unknown>;
  status?: "Success" | "Failure";
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}

/** A kind of object as an API server addresses it. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

export interface ObjectRef {
  readonly type: ResourceType;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** `group/version`, or `version` in the core group. */
export function apiVersionOf({ group, version }: Pick<ResourceType, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/**
 * `Kind/namespace/name`, as messages name an object; a kind of another project is `Kind.group`, since several projects have
 * a Cluster. No two objects of different kinds have the same description.
 */
export function describeRef(ref: ObjectRef): string {
  return [describeKind(ref.type), ref.namespace, ref.name].filter((part) => part !== undefined).join("/");
}

/** `Kind`, or `Kind.group` of another project. */
export function describeKind({ group, kind }: Pick<ResourceType, "group" | "kind">): string {
  const isPlain = group === "rollcall.dev" || !group.includes(".") || group.endsWith(".k8s.io");
  return isPlain ? kind : `${kind}.${group}`;
}

/** The reference of an object that is known to be of `type`. */
export function refOf(type: ResourceType, object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return namespace === undefined || !type.isNamespaced ? { type, name } : { type, namespace, name };
}

/** A moment (epoch ms) as Leases write it. Source: Kubernetes API, meta/v1 MicroTime. */
export function toMicroTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}

/**
 * An apply body that is for the live object alone: an API server creates what it does not have, and a request may arrive late or
 * twice. Without a live object it may create one.
 */
export function withUidOf(live: KubeObject | undefined, object: KubeObject): KubeObject {
  const uid = live?.metadata.uid;
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}

/** True for one version of one object. Versions of an object that is created again under the same name are others. */
export function isSameVersion(left: KubeObject | undefined, right: KubeObject): boolean {
  return (
    left?.metadata.resourceVersion !== undefined &&
    left.metadata.resourceVersion === right.metadata.resourceVersion &&
    left.metadata.uid === right.metadata.uid
  );
}
