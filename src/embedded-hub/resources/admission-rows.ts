import { appendAll } from "../../core/append-all.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { validateBinding } from "../admission/validate-binding.ts";
import { validatePolicy } from "../admission/validate-policy.ts";
import { validateWebhooks } from "../admission/validate-webhooks.ts";
import { warnOfStoredWebhooks } from "../admission/webhooks-not-called.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { admissionPolicyBindingColumns, admissionPolicyColumns, webhookColumns } from "../table/group-columns.ts";
import type { BuiltInRow } from "./define.ts";
import { keepMetadata } from "./keep-metadata.ts";

const common = { isClusterScoped: true, categories: ["api-extensions"] } as const;

/** What is special about a kind of this group whose generation counts changes of `field`. */
function hooksOf(field: "spec" | "webhooks", hooks: ResourceHooks): ResourceHooks {
  return {
    raisesGeneration: (object, old) => !isJsonEqual(object[field], old[field]),
    canUpdateUnconditionally: false,
    takesAnyFinalizer: true,
    ...hooks,
  };
}

const webhookHooks = hooksOf("webhooks", {
  validate: (configuration: KubeObject, old, { warnings }) => {
    const errors = validateWebhooks(configuration, old);
    if (errors.length === 0) appendAll(warnings, warnOfStoredWebhooks(configuration));
    return errors;
  },
});

/** The kinds of admissionregistration.k8s.io. Webhook configurations are stored, and not in force. */
export const admissionRows: readonly BuiltInRow[] = [
  { ...common, kind: "MutatingWebhookConfiguration", columns: webhookColumns, hooks: webhookHooks },
  {
    ...common,
    kind: "ValidatingAdmissionPolicy",
    plural: "validatingadmissionpolicies",
    subresources: ["status"],
    columns: admissionPolicyColumns,
    hooks: hooksOf("spec", {
      keptFields: { status: [["spec"], ["metadata"]] },
      // An owner that does not exist would have the policy deleted.
      prepareForUpdate: (policy, old, { subresource }) =>
        subresource === "status" ? { ...policy, metadata: keepMetadata(policy, old) } : policy,
      validate: validatePolicy,
    }),
  },
  {
    ...common,
    kind: "ValidatingAdmissionPolicyBinding",
    columns: admissionPolicyBindingColumns,
    hooks: hooksOf("spec", { validate: validateBinding }),
  },
  { ...common, kind: "ValidatingWebhookConfiguration", columns: webhookColumns, hooks: webhookHooks },
];
