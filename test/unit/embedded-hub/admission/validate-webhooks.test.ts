import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateWebhooks } from "../../../../src/embedded-hub/admission/validate-webhooks.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const webhook: JsonObject = {
  name: "a.example.org",
  clientConfig: { url: "https://a.example.org/check" },
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "*" }],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  sideEffects: "None",
  timeoutSeconds: 10,
  admissionReviewVersions: ["v1"],
};

function configuration(...webhooks: readonly JsonObject[]): KubeObject {
  const apiVersion = "admissionregistration.k8s.io/v1";
  return { apiVersion, kind: "ValidatingWebhookConfiguration", metadata: { name: "a" }, webhooks: [...webhooks] };
}

function faultsOf(changes: JsonObject): string[] {
  return validateWebhooks(configuration({ ...webhook, ...changes })).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

describe("validateWebhooks", () => {
  it("accepts a complete webhook, and a configuration without webhooks", () => {
    expect(faultsOf({})).toEqual([]);
    expect(validateWebhooks(configuration())).toEqual([]);
  });

  it.each([
    ["a name of two segments", { name: "a.org" }, "webhooks[0].name: Invalid value"],
    ["another failure policy", { failurePolicy: "Warn" }, "webhooks[0].failurePolicy: Unsupported value"],
    ["another match policy", { matchPolicy: "Any" }, "webhooks[0].matchPolicy: Unsupported value"],
    ["side effects that a dry run would have", { sideEffects: "Some" }, "webhooks[0].sideEffects: Unsupported value"],
    ["no time", { timeoutSeconds: 0 }, "webhooks[0].timeoutSeconds: Invalid value"],
    ["more than 30 seconds", { timeoutSeconds: 31 }, "webhooks[0].timeoutSeconds: Invalid value"],
    ["another way to be called again", { reinvocationPolicy: "Ever" }, "webhooks[0].reinvocationPolicy: Unsupported"],
    ["no versions of reviews", { admissionReviewVersions: [] }, "webhooks[0].admissionReviewVersions: Required value"],
    ["a rule without operations", { rules: [{}] }, "webhooks[0].rules[0].operations: Required value"],
    ["neither URL nor Service", { clientConfig: {} }, "webhooks[0].clientConfig: Required value"],
  ])("refuses %s", (_, changes: JsonObject, fault) => {
    expect(faultsOf(changes)[0]).toContain(fault);
  });

  it("refuses versions of reviews that kube-apiserver does not send, and one named twice", () => {
    expect(faultsOf({ admissionReviewVersions: ["v2", "v2"] })).toEqual([
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
    ]);
  });

  it("refuses two webhooks of one name", () => {
    const faults = validateWebhooks(configuration(webhook, webhook));
    expect(faults.map(({ field, reason }) => [field, reason])).toEqual([["webhooks[1].name", "FieldValueDuplicate"]]);
  });

  it("refuses a match condition that does not compile, unless it was stored before", () => {
    const changes = { matchConditions: [{ name: "a", expression: "params.a" }] };
    expect(faultsOf(changes)[0]).toContain("webhooks[0].matchConditions[0].expression: Invalid value");
    const stored = configuration({ ...webhook, ...changes });
    expect(validateWebhooks(stored, stored)).toEqual([]);
  });
});
