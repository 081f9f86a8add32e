import { objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** Source: Kubernetes API, admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy. */
export interface AdmissionPolicy {
  readonly name: string;
  readonly isIgnoringFailures: boolean;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly matchConstraints: JsonObject;
  readonly matchConditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly valueExpression: string }[];
}

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

export interface Validation {
  readonly expression: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
}

/** Source: Kubernetes API, admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding. */
export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  readonly actions: readonly string[];
  readonly matchResources: JsonObject | undefined;
  readonly paramRef: JsonObject | undefined;
}

export const policyGroup = "admissionregistration.k8s.io";

export function readPolicy(object: KubeObject): AdmissionPolicy {
  const paramKind = objectAt(object, "spec", "paramKind");
  return {
    name: object.metadata.name,
    isIgnoringFailures: textAt(object, "spec", "failurePolicy") === "Ignore",
    paramKind:
      paramKind === undefined
        ? undefined
        : { apiVersion: textAt(paramKind, "apiVersion") ?? "", kind: textAt(paramKind, "kind") ?? "" },
    matchConstraints: objectAt(object, "spec", "matchConstraints") ?? {},
    matchConditions: objectsAt(object, "spec", "matchConditions").map(readNamed),
    variables: objectsAt(object, "spec", "variables").map(readNamed),
    validations: objectsAt(object, "spec", "validations").map((validation) => ({
      expression: textAt(validation, "expression") ?? "",
      message: textAt(validation, "message") ?? "",
      messageExpression: textAt(validation, "messageExpression") ?? "",
      reason: textAt(validation, "reason") ?? "Invalid",
    })),
    auditAnnotations: objectsAt(object, "spec", "auditAnnotations").map((annotation) => ({
      key: textAt(annotation, "key") ?? "",
      valueExpression: textAt(annotation, "valueExpression") ?? "",
    })),
  };
}

export function readPolicyBinding(object: KubeObject): PolicyBinding {
  return {
    name: object.metadata.name,
    policyName: textAt(object, "spec", "policyName") ?? "",
    actions: textsAt(object, "spec", "validationActions"),
    matchResources: objectAt(object, "spec", "matchResources"),
    paramRef: objectAt(object, "spec", "paramRef"),
  };
}

/** A name and an expression, as match conditions and variables have them. */
export function readNamed(entry: JsonObject): NamedExpression {
  return { name: textAt(entry, "name") ?? "", expression: textAt(entry, "expression") ?? "" };
}
