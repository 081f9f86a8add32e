import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** One condition of a quota for the Pods that it counts. */
export interface Scope {
  readonly name: string;
  readonly operator: string;
  readonly values: ReadonlySet<string>;
}

export function scopesOf(quota: KubeObject): readonly Scope[] {
  return [
    ...textsAt(quota, "spec", "scopes").map((name) => ({ name, operator: "Exists", values: new Set<string>() })),
    ...objectsAt(quota, "spec", "scopeSelector", "matchExpressions").map((expression) => ({
      name: textAt(expression, "scopeName") ?? "",
      operator: textAt(expression, "operator") ?? "",
      values: new Set(textsAt(expression, "values")),
    })),
  ];
}

/** Source: Kubernetes, pkg/quota/v1/evaluator/core. */
export function podFitsScope(pod: KubeObject, scope: Scope): boolean {
  switch (scope.name) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return fitsClass(textAt(pod, "spec", "priorityClassName") ?? "", scope);
    case "CrossNamespacePodAffinity":
      return ["podAffinity", "podAntiAffinity"].some((name) =>
        crossesNamespaces(objectAt(pod, "spec", "affinity", name)),
      );
    default:
      return false;
  }
}

/** A Pod with a deadline. */
export function isTerminating(pod: KubeObject): boolean {
  return (numberAt(pod, "spec", "activeDeadlineSeconds") ?? -1) >= 0;
}

function isBestEffort(pod: KubeObject): boolean {
  return textAt(pod, "status", "qosClass") === "BestEffort";
}

function fitsClass(name: string, { operator, values }: Scope): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.has(name);
    default:
      return name === "" || !values.has(name);
  }
}

function crossesNamespaces(affinity: JsonObject | undefined): boolean {
  const preferred = objectsAt(affinity, "preferredDuringSchedulingIgnoredDuringExecution");
  return [
    ...objectsAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
    ...preferred.map((term) => objectAt(term, "podAffinityTerm")),
  ].some((term) => textsAt(term, "namespaces").length > 0 || objectAt(term, "namespaceSelector") !== undefined);
}
