import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { textAt } from "../../../../src/core/read-json.ts";
import { podHooks } from "../../../../src/embedded-hub/resources/pod-hooks.ts";

const whole = { cpu: "1", memory: "1Gi" };

it.each([
  { reason: "asks for nothing", resources: {}, qosClass: "BestEffort" },
  { reason: "asks for nothing of a resource", resources: { requests: { cpu: "0" } }, qosClass: "BestEffort" },
  { reason: "has what it is limited to", resources: { requests: whole, limits: whole }, qosClass: "Guaranteed" },
  { reason: "asks for less", resources: { requests: { ...whole, cpu: "1m" }, limits: whole }, qosClass: "Burstable" },
  {
    reason: "asks for none of it",
    resources: { requests: { ...whole, cpu: "0" }, limits: whole },
    qosClass: "Burstable",
  },
  { reason: "has no limit of one", resources: { limits: { cpu: "1", memory: "0" } }, qosClass: "Burstable" },
])("a new Pod that $reason is $qosClass", ({ resources, qosClass }) => {
  const containers: JsonObject[] = [{ name: "a", resources }];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers } };
  const context = { now: "2026-01-01T00:00:00Z", user: { username: "a", groups: [] }, warnings: [] };
  expect(textAt(podHooks.prepareForCreate?.(pod, context), "status", "qosClass")).toBe(qosClass);
});

it("a grace period below zero is one of a second, in a Pod and at its delete", () => {
  const spec = { nodeName: "n", terminationGracePeriodSeconds: -3, containers: [] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec };
  const context = { now: "2026-01-01T00:00:00Z", user: { username: "a", groups: [] }, warnings: [] };
  expect(podHooks.prepareForCreate?.(pod, context)["spec"]).toMatchObject({ terminationGracePeriodSeconds: 1 });
  expect(podHooks.prepareForUpdate?.(pod, pod, context)["spec"]).toMatchObject({ terminationGracePeriodSeconds: 1 });
  expect(podHooks.gracePeriodSeconds?.(pod, undefined)).toBe(1);
});
