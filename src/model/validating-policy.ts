import type { JsonObject } from "../core/json.ts";
import type { KubeObject } from "./kubernetes.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const labels = { "app.kubernetes.io/part-of": "rollcall" };

/**
 * A policy of this project and its binding, for the whole hub. One that denies also refuses what it cannot decide; one that
 * warns lets it pass. `spec` is that of a ValidatingAdmissionPolicy without its `failurePolicy`.
 */
export function validatingPolicy(
  name: string,
  spec: JsonObject,
  action: "Deny" | "Warn" = "Deny",
): readonly KubeObject[] {
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name, labels },
      spec: { failurePolicy: action === "Deny" ? "Fail" : "Ignore", ...spec },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name, labels },
      spec: { policyName: name, validationActions: [action] },
    },
  ];
}
