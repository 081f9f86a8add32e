import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, textAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
export const templateHashLabel = "pod-template-hash";

export function specReplicas(object: KubeObject): number {
  return numberAt(object, "spec", "replicas") ?? 1;
}

export function statusCount(object: KubeObject, field: string): number {
  return numberAt(object, "status", field) ?? 0;
}

export function sumOf(sets: readonly KubeObject[], count: (set: KubeObject) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

export function isRollingUpdate(deployment: KubeObject): boolean {
  return (textAt(deployment, "spec", "strategy", "type") ?? "RollingUpdate") === "RollingUpdate";
}

/** How many Pods may be there beyond `spec.replicas`. */
export function maxSurgeOf(deployment: KubeObject): number {
  return isRollingUpdate(deployment) ? fencePosts(deployment).surge : 0;
}

/** How many of `spec.replicas` may be missing. */
export function maxUnavailableOf(deployment: KubeObject): number {
  const replicas = specReplicas(deployment);
  if (!isRollingUpdate(deployment) || replicas === 0) return 0;
  return Math.min(fencePosts(deployment).unavailable, replicas);
}

/** The revision of an object, a number of 64 bits. 0 for none, and for a text that is no such number. */
export function revisionOf({ metadata }: KubeObject): bigint {
  const text = metadata.annotations?.[revisionAnnotation] ?? "";
  const revision = /^-?\d{1,19}$/u.test(text) ? BigInt(text) : 0n;
  return BigInt.asIntN(64, revision) === revision ? revision : 0n;
}

/** The revision after the newest of some sets. */
export function nextRevision(sets: readonly KubeObject[]): bigint {
  return sets.map(revisionOf).reduce((newest, revision) => (revision > newest ? revision : newest), 0n) + 1n;
}

/** Earliest revision first. */
export function byRevision(a: KubeObject, b: KubeObject): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** A number in an annotation, or undefined. */
export function annotatedCount({ metadata }: KubeObject, key: string): number | undefined {
  const text = metadata.annotations?.[key] ?? "";
  return /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}

/** Oldest first; equal times by name. */
export function byCreation(a: KubeObject, b: KubeObject): number {
  const [left, right] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (left !== right) return left < right ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** The set that has the deployment's template (the oldest of several), and the others. */
export function splitReplicaSets(
  deployment: KubeObject,
  sets: readonly KubeObject[],
): { readonly newSet: KubeObject | undefined; readonly oldSets: readonly KubeObject[] } {
  const template = withoutHash(objectAt(deployment, "spec", "template"));
  const sorted = [...sets].sort(byCreation);
  const newSet = sorted.find((set) => isJsonEqual(withoutHash(objectAt(set, "spec", "template")), template));
  return { newSet, oldSets: sorted.filter((set) => set !== newSet) };
}

/** Undefined when progress has no deadline. */
export function progressDeadlineSeconds(deployment: KubeObject): number | undefined {
  const seconds = numberAt(deployment, "spec", "progressDeadlineSeconds");
  // The largest 32-bit number is Kubernetes' value for "none".
  return seconds === 2 ** 31 - 1 ? undefined : seconds;
}

function withoutHash(template: JsonObject | undefined): unknown {
  const labels = objectAt(template, "metadata", "labels") ?? {};
  const kept = Object.fromEntries(Object.entries(labels).filter(([key]) => key !== templateHashLabel));
  return { ...template, metadata: { ...objectAt(template, "metadata"), labels: kept } };
}

function fencePosts(deployment: KubeObject): { readonly surge: number; readonly unavailable: number } {
  const replicas = specReplicas(deployment);
  const of = (field: string) => valueAt(deployment, "spec", "strategy", "rollingUpdate", field);
  const surge = scaled(of("maxSurge") ?? 0, replicas, Math.ceil);
  const unavailable = scaled(of("maxUnavailable") ?? 0, replicas, Math.floor);
  // Both may round to nothing; then nothing would ever move.
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

function scaled(value: unknown, total: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  const [, percent] = /^(\d+)%$/u.exec(String(value)) ?? [];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}
