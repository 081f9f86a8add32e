import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { conditionOf, withCondition } from "../../../../src/embedded-hub/resources/crd-conditions.ts";
import { crdHooks } from "../../../../src/embedded-hub/resources/crd-hooks.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const [before, now] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const known = { type: "Established", status: "True", lastTransitionTime: before, reason: "Old", message: "old" };
const other = { type: "Other", status: "False" };

function crdOf(conditions?: readonly JsonObject[], metadata: object = {}): KubeObject {
  const status = conditions === undefined ? {} : { status: { conditions } };
  return { apiVersion: "v1", kind: "Any", metadata: { name: "a", ...metadata }, ...status };
}

it.each([
  ["is added to those of others", [other], "True", [other, now]],
  ["is the first of an object without a status", undefined, "True", [now]],
  ["keeps its place, and its time while its status is the same", [known, other], "True", [before, other]],
  ["has another time with another status", [known, other], "False", [now, other]],
  ["has a time when it had none", [{ type: "Established", status: "True" }], "True", [now]],
] as const)("a condition %s", (_what, conditions, status, expected) => {
  const condition = { type: "Established", status, reason: "New", message: "new" };
  const result = withCondition(crdOf(conditions), condition, now)["status"] as { conditions: JsonObject[] };
  const whole = expected.map((one) => (typeof one === "string" ? { ...condition, lastTransitionTime: one } : one));
  expect(result.conditions).toEqual(whole);
});

it("a condition is read by its type, with texts that it may lack", () => {
  expect(conditionOf(crdOf([other, known]), "Established")).toEqual({
    ...{ type: "Established", status: "True", reason: "Old", message: "old" },
  });
  expect(conditionOf(crdOf([{ type: "Established", status: "Unknown" }]), "Established")).toEqual({
    ...{ type: "Established", status: "False", reason: "", message: "" },
  });
  expect(conditionOf(crdOf([other]), "Established")).toBeUndefined();
});

it("a definition that is deleted waits for its objects, and is not held without their finalizer", () => {
  const context = { now, user: { username: "a", groups: [] }, warnings: [] };
  const cleanup = "customresourcecleanup.apiextensions.k8s.io";
  const finalizersAfter = (finalizers: string[]): unknown =>
    crdHooks.prepareForDelete?.(crdOf([], { finalizers, deletionGracePeriodSeconds: 0 }), context).metadata;
  expect(finalizersAfter([])).toEqual({ name: "a", finalizers: [cleanup] });
  expect(finalizersAfter([cleanup, "b/c"])).toEqual({ name: "a", finalizers: [cleanup, "b/c"] });
  expect([crdHooks.isHeld?.(crdOf()), crdHooks.isHeld?.(crdOf([], { deletionTimestamp: now }))]).toEqual([true, false]);
});
