import { expect, it } from "vitest";
import { validateServiceAccount } from "../../../../src/embedded-hub/validation/validate-service-account.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function account(annotations: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", namespace: "shop", annotations } };
}

function warningsOf(now: KubeObject, old?: KubeObject): readonly string[] {
  const warnings: string[] = [];
  const context = { now: "2026-01-01T00:00:00Z", user: { username: "a", groups: [] }, warnings };
  expect(validateServiceAccount(now, old, context)).toEqual([]);
  return warnings;
}

it("warns once, when the deprecated annotation is set", () => {
  const limited = account({ "kubernetes.io/enforce-mountable-secrets": "true" });
  const text =
    "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; " +
    "prefer separate namespaces to isolate access to mounted secrets";
  expect(warningsOf(limited)).toEqual([text]);
  expect(warningsOf(limited, account())).toEqual([text]);
  expect(warningsOf(limited, limited)).toEqual([]);
  expect(warningsOf(account(), limited)).toEqual([]);
});
