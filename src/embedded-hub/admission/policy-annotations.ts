import { escapeGoJson } from "../../core/formats/go-format.ts";
import type { Annotate } from "../operations/admission.ts";
import type { PolicyBinding } from "./admission-policy.ts";
import type { Denial } from "./evaluate-policy.ts";

/** What policies add to the audit event of a request. */
export interface PolicyAnnotations {
  /** A validation that failed, of a binding with the action Audit. */
  addFailure(binding: PolicyBinding, denial: Denial): void;
  /** The value of one of `spec.auditAnnotations`. */
  addValue(policy: string, key: string, value: string): void;
  publish(annotate: Annotate): void;
}

const failureKey = "validation.policy.admission.k8s.io/validation_failure";
const longestValueBytes = 10 * 1024;

/** Source: k8s.io/apiserver, admission/plugin/policy/validating/dispatcher.go. */
export function createPolicyAnnotations(): PolicyAnnotations {
  let failure: string | undefined;
  const values = new Map<string, Set<string>>();
  return {
    // An annotation is written once: of several failures the first one is recorded.
    addFailure: (binding, { message, index }) => {
      failure ??= escapeGoJson(
        JSON.stringify([
          {
            message,
            policy: binding.policyName,
            binding: binding.name,
            expressionIndex: index,
            validationActions: binding.actions,
          },
        ]),
      );
    },
    addValue: (policy, key, value) => {
      const name = `${policy}/${key}`;
      const known = values.get(name) ?? new Set<string>();
      values.set(name, known.add(Buffer.from(value).subarray(0, longestValueBytes).toString("utf8")));
    },
    publish: (annotate) => {
      if (failure !== undefined) annotate(failureKey, failure);
      for (const [name, all] of values) annotate(name, [...all].join(", "));
    },
  };
}
