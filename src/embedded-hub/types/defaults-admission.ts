import type { DefaultRule } from "./default-rule.ts";
import { withMissing } from "./default-rule.ts";

const webhook = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

export const admissionDefaults: Readonly<Record<string, DefaultRule>> = {
  "admission.ValidatingWebhook": (hook) => withMissing(hook, webhook),
  "admission.MutatingWebhook": (hook) => withMissing(hook, { ...webhook, reinvocationPolicy: "Never" }),
  "admission.Rule": (rule) => withMissing(rule, { scope: "*" }),
  "admission.ServiceReference": (reference) => withMissing(reference, { port: 443 }),
  "admission.ValidatingAdmissionPolicySpec": (spec) => withMissing(spec, { failurePolicy: "Fail" }),
  "admission.MatchResources": (match) =>
    withMissing(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }),
};
