import { appendAll } from "../../core/append-all.ts";
import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject } from "../auth/auth.ts";
import { invalid } from "../failures/failures.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import {
  describePolicy,
  isStricter,
  podSecurityModes,
  policyOf,
  validatePodSecurityLabels,
} from "../pod-security/namespace-levels.ts";
import type { PodSecurityPolicy } from "../pod-security/pod-security.ts";
import { describeViolations, podViolations } from "../pod-security/pod-security.ts";
import { admissionForbidden } from "./admission-forbidden.ts";

export interface PodSecurityParts {
  readonly read: ReadObject;
  readonly listPods: (namespace: string) => readonly KubeObject[];
}

const annotationPrefix = "pod-security.kubernetes.io/";

/** Where kinds of workloads have the template of their Pods. */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ["/replicationcontrollers", ["spec", "template"]],
  ["apps/deployments", ["spec", "template"]],
  ["apps/replicasets", ["spec", "template"]],
  ["batch/jobs", ["spec", "template"]],
  ["batch/cronjobs", ["spec", "jobTemplate", "spec", "template"]],
  ["/podtemplates", ["template"]],
]);

/**
 * Throws 403 for a Pod that the `enforce` level of its namespace does not admit, and 422 for a namespace with a label of a
 * level that does not exist; adds warnings for the `warn` level. Source: Kubernetes documentation, Pod Security Admission.
 */
export function checkPodSecurity(request: AdmissionRequest, parts: PodSecurityParts): void {
  const { definition, object, operation, subresource } = request;
  if (object === undefined || (subresource !== undefined && subresource !== "ephemeralcontainers")) return;
  const kind = `${definition.group}/${definition.plural}`;
  if (kind === "/namespaces") return checkNamespaceLabels({ ...request, object }, parts);
  const isNew = operation === "CREATE" || subresource === "ephemeralcontainers";
  if (kind === "/pods" && isNew) return checkPod({ ...request, object }, parts);
  const path = templates.get(kind);
  if (path === undefined) return;
  auditOf(request, objectAt(object, ...path), parts);
  warnOf(request, objectAt(object, ...path), parts);
}

function checkPod(request: AdmissionRequest & { readonly object: KubeObject }, parts: PodSecurityParts): void {
  const namespace = namespaceOf(request, parts);
  const policy = policyOf(namespace, "enforce");
  const found = violationsOf(policy, request.object);
  request.annotate?.(`${annotationPrefix}enforce-policy`, describePolicy(auditedPolicy(namespace)));
  auditOf(request, request.object, parts);
  if (found !== "") {
    throw admissionForbidden(request, `violates PodSecurity ${JSON.stringify(describePolicy(policy))}: ${found}`);
  }
  warnOf(request, request.object, parts);
}

/** The version of a level does not matter where nothing is evaluated. */
function auditedPolicy(namespace: KubeObject | undefined): PodSecurityPolicy {
  const policy = policyOf(namespace, "enforce");
  const isOpen = podSecurityModes.every((mode) => policyOf(namespace, mode).level === "privileged");
  return isOpen ? { ...policy, version: "latest" } : policy;
}

/** What the `audit` level would not admit is only recorded. */
function auditOf(request: AdmissionRequest, pod: unknown, parts: PodSecurityParts): void {
  if (pod === undefined || request.annotate === undefined) return;
  const policy = policyOf(namespaceOf(request, parts), "audit");
  const found = violationsOf(policy, pod);
  if (found === "") return;
  const text = `would violate PodSecurity ${JSON.stringify(describePolicy(policy))}: ${found}`;
  request.annotate(`${annotationPrefix}audit-violations`, text);
}

function warnOf(request: AdmissionRequest, pod: unknown, parts: PodSecurityParts): void {
  if (pod === undefined) return;
  const policy = policyOf(namespaceOf(request, parts), "warn");
  const found = violationsOf(policy, pod);
  if (found === "") return;
  request.warnings.push(`would violate PodSecurity ${JSON.stringify(describePolicy(policy))}: ${found}`);
}

function namespaceOf({ namespace = "" }: AdmissionRequest, { read }: PodSecurityParts): KubeObject | undefined {
  return read({ group: "", plural: "namespaces", name: namespace });
}

function violationsOf(policy: PodSecurityPolicy, pod: unknown): string {
  return describeViolations(podViolations(policy, pod));
}

function checkNamespaceLabels(
  request: AdmissionRequest & { readonly object: KubeObject },
  { listPods }: PodSecurityParts,
): void {
  const { object, oldObject, definition, warnings } = request;
  const errors = validatePodSecurityLabels(object);
  const hadErrors = oldObject !== undefined && validatePodSecurityLabels(oldObject).length > 0;
  if (errors.length > 0 && !hadErrors) {
    throw invalid({ group: definition.group, kind: definition.kind, name: object.metadata.name }, errors);
  }
  if (oldObject === undefined) return;
  const policy = policyOf(object, "enforce");
  if (!isStricter(policy, policyOf(oldObject, "enforce"))) return;
  appendAll(warnings, existingWarnings(object.metadata.name, policy, listPods(object.metadata.name)));
}

/** Pods that run already stay; who tightens the level learns of them, by what they violate. */
function existingWarnings(
  namespace: string,
  policy: PodSecurityPolicy,
  pods: readonly KubeObject[],
): readonly string[] {
  const byReasons = new Map<string, string[]>();
  for (const pod of pods) {
    const reasons = podViolations(policy, pod).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const text = reasons.join(", ");
    byReasons.set(text, [...(byReasons.get(text) ?? []), pod.metadata.name]);
  }
  if (byReasons.size === 0) return [];
  const shown = JSON.stringify(describePolicy(policy));
  const lines = [...byReasons].map(([reasons, names]) => `${describeNames(names.sort())}: ${reasons}`).sort();
  return [
    `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${shown}`,
    ...lines,
  ];
}

function describeNames([first = "", ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
}
