import { describe, expect, it } from "vitest";
import { validatePolicy } from "../../../../src/embedded-hub/admission/validate-policy.ts";
import { validateWebhooks } from "../../../../src/embedded-hub/admission/validate-webhooks.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";
import { faultsOf, many, named, text } from "./definition-faults.ts";

const large = (index: number): string => `a{1000}${index}`;

describe("thousands of large patterns", () => {
  const rule = (index: number) => ({ expression: `'a'.matches('${large(index)}')` });
  const metadata = { name: "a" };

  it.each<readonly [string, () => readonly unknown[]]>([
    [
      "of values in a definition",
      () => faultsOf({ type: "object", properties: named(3000, (index) => ({ ...text, pattern: large(index) })) }),
    ],
    [
      "of rules in a definition",
      () => {
        const rules = many(3000, (index) => ({ rule: `self.matches('${large(index)}')` }));
        return faultsOf({ ...text, maxLength: 10, "x-kubernetes-validations": rules });
      },
    ],
    [
      "in an admission policy",
      () => {
        const spec = { matchConstraints: { resourceRules: [] }, validations: many(3000, rule) };
        return validatePolicy({ apiVersion: "v1", kind: "ValidatingAdmissionPolicy", metadata, spec });
      },
    ],
    [
      "in the conditions of webhooks",
      () => {
        const webhooks = many(3000, (index) => ({ matchConditions: [{ name: "a", ...rule(index) }] }));
        return validateWebhooks({ apiVersion: "v1", kind: "ValidatingWebhookConfiguration", metadata, webhooks });
      },
    ],
  ])("A259 %s are not compiled: those beyond the bound are refused", (_what, judge) => {
    expect(judge().filter((fault) => /too large/u.test(JSON.stringify(fault))).length).toBeGreaterThan(2800);
    expect(leastCpuMs(judge, 1000)).toBeLessThan(1000);
  });
});
