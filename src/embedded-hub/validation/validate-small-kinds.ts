import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import type { HookContext } from "../operations/resource-definition.ts";
import { forbidden, indexPath, invalid, invalidStruct, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateSelectorAt } from "../selectors/validate-label-selector.ts";
import { nonNegative, notOverAll, validateAmount } from "./checks.ts";
import { validateConditions } from "./validate-conditions.ts";

const highestPriority = 1_000_000_000;
const systemPriorities: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** What is wrong with a Lease. Source: Kubernetes, pkg/apis/coordination/validation. */
export function validateLease(lease: KubeObject): FieldError[] {
  const seconds = numberAt(lease, "spec", "leaseDurationSeconds");
  const transitions = numberAt(lease, "spec", "leaseTransitions");
  return [
    ...(seconds === undefined || seconds > 0
      ? []
      : [invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")]),
    ...(transitions === undefined || transitions >= 0
      ? []
      : [invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")]),
  ];
}

/** Why the class of this name cannot be deleted. Source: Kubernetes, registry/scheduling/priorityclass. */
export function refuseSystemPriorityDelete(name: string): string | undefined {
  const isOfSystem = Object.hasOwn(systemPriorities, name);
  return isOfSystem ? "this is a system priority class and cannot be deleted" : undefined;
}

/** What is wrong with a PriorityClass or with its change. Source: Kubernetes, pkg/apis/scheduling/validation. */
export function validatePriorityClass(one: KubeObject, old: KubeObject | undefined): FieldError[] {
  const value = numberAt(one, "value") ?? 0;
  const policy = textAt(one, "preemptionPolicy") ?? "PreemptLowerPriority";
  if (old !== undefined) {
    const oldPolicy = textAt(old, "preemptionPolicy") ?? "PreemptLowerPriority";
    return [
      ...(value === (numberAt(old, "value") ?? 0) ? [] : [forbidden("value", "may not be changed in an update.")]),
      ...(policy === oldPolicy ? [] : [invalid("preemptionPolicy", policy, "field is immutable")]),
    ];
  }
  const policies = ["PreemptLowerPriority", "Never"];
  return [
    ...validatePriority(one.metadata.name ?? "", value, isTrueAt(one, "globalDefault")),
    ...(policy === "" ? [required("preemptionPolicy")] : []),
    ...(policy === "" || policies.includes(policy) ? [] : [notSupported("preemptionPolicy", policy, policies)]),
  ];
}

function validatePriority(name: string, value: number, isDefault: boolean): FieldError[] {
  if (!name.startsWith("system-")) {
    const text = `maximum allowed value of a user defined priority is ${highestPriority}`;
    return value > highestPriority ? [forbidden("value", text)] : [];
  }
  const known = Object.hasOwn(systemPriorities, name) ? systemPriorities[name] : undefined;
  const problem =
    known === undefined
      ? `${name} is not a known system priority class`
      : value !== known
        ? `value of ${name} PriorityClass must be ${known}`
        : isDefault
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  if (problem === undefined) return [];
  const text = `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`;
  return [forbidden("metadata.name", text)];
}

/** What is wrong with a PodDisruptionBudget. Source: Kubernetes, pkg/apis/policy/validation. */
export function validateDisruptionBudget(
  budget: KubeObject,
  _old: KubeObject | undefined,
  { subresource }: HookContext,
): FieldError[] {
  if (subresource === "status") {
    const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];
    return [
      ...validateConditions(objectsAt(budget, "status", "conditions"), "status.conditions"),
      ...nonNegative(objectAt(budget, "status"), "status", ...counts),
    ];
  }
  const spec = objectAt(budget, "spec") ?? {};
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  const policy = textAt(spec, "unhealthyPodEvictionPolicy");
  const isBoth = spec["minAvailable"] !== undefined && spec["maxUnavailable"] !== undefined;
  const { minAvailable = null, selector = null, maxUnavailable = null } = spec;
  // An API server prints its own form of the object, in the order of that.
  const printed = {
    MinAvailable: minAvailable,
    Selector: selector,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: policy ?? null,
  };
  return [
    ...(isBoth ? [invalidStruct("spec", printed, "minAvailable and maxUnavailable cannot be both set")] : []),
    ...["minAvailable", "maxUnavailable"].flatMap((name) => [
      ...validateAmount(spec[name], `spec.${name}`),
      ...notOverAll(spec[name], `spec.${name}`),
    ]),
    ...validateSelectorAt(spec, "selector", "spec"),
    ...(policy === undefined || policies.includes(policy)
      ? []
      : [notSupported("spec.unhealthyPodEvictionPolicy", policy, policies)]),
  ];
}

/** What is wrong with a Namespace or with its change. Source: Kubernetes, pkg/apis/core/validation. */
export function validateNamespace(
  namespace: KubeObject,
  old: KubeObject | undefined,
  { subresource }: HookContext,
): FieldError[] {
  const finalizers = textsAt(namespace, "spec", "finalizers");
  const phase = textAt(namespace, "status", "phase") ?? "";
  if (subresource === "status") {
    const isLeaving = namespace.metadata.deletionTimestamp !== undefined;
    if (phase === (isLeaving ? "Terminating" : "Active")) return [];
    const text = isLeaving
      ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
      : "may only be 'Active' if `deletionTimestamp` is empty";
    return [invalid("status.Phase", phase, text)];
  }
  if (old !== undefined && subresource !== "finalize") return [];
  return finalizers.flatMap((finalizer, index) => {
    const path = old === undefined ? "spec.finalizers" : indexPath("spec.finalizers", index);
    const problems = checkQualifiedName(finalizer).map((text) => invalid(path, finalizer, text));
    const isKnown = finalizer.includes("/") || ["kubernetes", "orphan", "foregroundDeletion"].includes(finalizer);
    const text = "name is neither a standard finalizer name nor is it fully qualified";
    return isKnown ? problems : [...problems, invalid(path, finalizer, text)];
  });
}
