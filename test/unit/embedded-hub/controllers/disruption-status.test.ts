import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  disruptionStatus,
  failedDisruptionStatus,
} from "../../../../src/embedded-hub/controllers/disruption-status.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const [before, now] = ["2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"];
const nowMs = Date.parse(now);

function budgetOf(status: JsonObject, generation?: number): KubeObject {
  const metadata = { name: "b", namespace: "shop", ...(generation === undefined ? {} : { generation }) };
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { minAvailable: 1 }, status };
}

function podOf(name: string): KubeObject {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: before }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop" }, status: { conditions } };
}

const other = { type: "Other", status: "True" };
const allowed = {
  type: "DisruptionAllowed",
  status: "True",
  lastTransitionTime: before,
  reason: "SufficientPods",
  message: "",
};

describe("the status of a PodDisruptionBudget", () => {
  it.each([
    ["keeps the time of its condition while it is the same", 2, before],
    ["has another time when it changes", 1, now],
  ])("%s, behind those of others", (_what, count, since) => {
    const pods = ["a", "b"].slice(0, count).map(podOf);
    const { status } = disruptionStatus({
      budget: budgetOf({ conditions: [allowed, other] }),
      pods,
      scale: () => 0,
      nowMs,
      now,
    });
    expect(status["conditions"]).toMatchObject([other, { type: "DisruptionAllowed", lastTransitionTime: since }]);
  });

  it("is due again when the first eviction counts no longer", () => {
    const at = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();
    const disruptedPods = { a: at(100), b: at(10), c: at(120), gone: at(1), d: "never" };
    const pods = ["a", "b", "c", "d"].map(podOf);
    const result = disruptionStatus({ budget: budgetOf({ disruptedPods }), pods, scale: () => 0, nowMs, now });
    expect(result.status).toMatchObject({ currentHealthy: 2, disruptedPods: { a: at(100), b: at(10) } });
    expect(result.recheckInMs).toBe(20_000);
    const none = disruptionStatus({ budget: budgetOf({}), pods, scale: () => 0, nowMs, now });
    expect([none.recheckInMs, none.status["disruptedPods"]]).toEqual([undefined, undefined]);
  });

  it("allows nothing when its numbers cannot be known, and keeps those that are known", () => {
    const condition = {
      type: "DisruptionAllowed",
      status: "False",
      lastTransitionTime: now,
      reason: "SyncFailed",
      message: "no",
    };
    expect(failedDisruptionStatus({ budget: budgetOf({}, 4), now }, "no")).toEqual({
      ...{ currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0, conditions: [condition] },
    });
    const numbers = { currentHealthy: 3, desiredHealthy: 2, expectedPods: 5, observedGeneration: 2 };
    const known = { ...numbers, disruptionsAllowed: 1, conditions: [allowed, other] };
    expect(failedDisruptionStatus({ budget: budgetOf(known, 4), now }, "no")).toEqual({
      ...numbers,
      disruptionsAllowed: 0,
      conditions: [other, { ...condition, observedGeneration: 2 }],
    });
  });
});
