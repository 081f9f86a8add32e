import { describe, expect, it } from "vitest";
import type { Condition } from "../../../src/model/kubernetes.ts";
import {
  findCondition,
  readConditions,
  toConditions,
  toTime,
  withConditionsOf,
} from "../../../src/planning/conditions.ts";

const before: Condition = {
  type: "Ready",
  status: "True",
  reason: "Open",
  message: "old",
  lastTransitionTime: "2027-01-01T00:00:00Z",
};
const nowMs = Date.parse("2027-02-01T00:00:00.900Z");

describe("toConditions", () => {
  it("moves the transition time only when the status changes", () => {
    const ready = (status: Condition["status"]) => ({ type: "Ready", status, reason: "Other", message: "new" });
    expect(toConditions([ready("True")], [before], { nowMs })).toEqual([
      { ...before, reason: "Other", message: "new" },
    ]);
    const [changed] = toConditions([ready("False")], [before], { nowMs, generation: 4 });
    expect(changed).toMatchObject({ lastTransitionTime: "2027-02-01T00:00:00Z", observedGeneration: 4 });
    const [first] = toConditions([ready("True")], [{ ...before, type: "Joined" }], { nowMs });
    expect(first).not.toHaveProperty("observedGeneration");
    expect(first?.lastTransitionTime).toBe("2027-02-01T00:00:00Z");
  });

  it("keeps a message of 1024 characters and cuts a longer one to as many", () => {
    const result = (message: string) => ({ type: "Ready", status: "True" as const, reason: "Open", message });
    const whole = "x".repeat(1024);
    const [kept, cut] = toConditions([result(whole), result(`${whole}y`)], undefined, { nowMs });
    expect(kept?.message).toBe(whole);
    expect(cut?.message).toBe(`${"x".repeat(1021)}...`);
    const [half] = toConditions([result(`${"x".repeat(1020)}😀${"y".repeat(9)}`)], undefined, { nowMs });
    expect(half?.message).toBe(`${"x".repeat(1020)}...`);
  });
});

describe("readConditions", () => {
  const object = (conditions: unknown) => ({
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "x" },
    status: { conditions },
  });
  it("reads what is well formed, and leaves the rest out", () => {
    const bad = [{ type: 1 }, { status: "Maybe" }, { reason: null }, { lastTransitionTime: 5 }];
    const conditions = [...bad.map((part) => ({ ...before, ...part })), { ...before, observedGeneration: 3 }];
    expect(readConditions(object(conditions))).toEqual([{ ...before, observedGeneration: 3 }]);
    expect(readConditions(object([{ ...before, message: 5, observedGeneration: "3" }]))).toEqual([
      { ...before, message: "" },
    ]);
    for (const status of ["False", "Unknown"]) expect(readConditions(object([{ ...before, status }]))).toHaveLength(1);
    expect(readConditions(undefined)).toEqual([]);
  });

  it("finds a condition by its type", () => {
    expect(findCondition([before], "Ready")).toBe(before);
    expect(findCondition([before], "Joined")).toBeUndefined();
    expect(findCondition(undefined, "Ready")).toBeUndefined();
  });
});

describe("toTime", () => {
  it("has no fraction of a second", () => {
    expect(toTime(nowMs)).toBe("2027-02-01T00:00:00Z");
  });
});

describe("withConditionsOf", () => {
  it("takes the conditions of the other state, and nothing else of it", () => {
    const found: { name: string; status?: { conditions?: Condition[] } } = {
      name: "a",
      status: { conditions: [before] },
    };
    const later = { ...before, lastTransitionTime: "2027-01-02T00:00:00Z" };
    const now = { name: "b", status: { conditions: [later] } };
    expect(withConditionsOf(found, now)).toEqual({ name: "a", status: { conditions: [later] } });
    expect(withConditionsOf(found, { name: "b" })).toEqual({ name: "a", status: {} });
  });
});
