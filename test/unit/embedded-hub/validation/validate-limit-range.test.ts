import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateLimitRange } from "../../../../src/embedded-hub/validation/validate-limit-range.ts";
import { problemsOf } from "./validation-builders.ts";

function problems(...limits: JsonObject[]): string[] {
  const range = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "a" }, spec: { limits } };
  return problemsOf(validateLimitRange(range)).map((problem) => problem.replace("spec.limits[0]", "L"));
}

const container = (rest: JsonObject): JsonObject => ({ type: "Container", ...rest });
const cpu = (amount: string): JsonObject => ({ cpu: amount });

describe("validateLimitRange", () => {
  it.each<{ limit: JsonObject; expected: readonly string[] }>([
    { limit: container({ min: cpu("1"), defaultRequest: cpu("1"), default: cpu("2"), max: cpu("2") }), expected: [] },
    { limit: { type: "Odd" }, expected: ["Invalid L.type"] },
    { limit: { type: "a b" }, expected: ["Invalid L.type"] },
    { limit: { type: "a.io/b" }, expected: [] },
    { limit: container({ min: cpu("3"), max: cpu("2") }), expected: ["Invalid L.min[cpu]"] },
    { limit: container({ min: cpu("2"), defaultRequest: cpu("1") }), expected: ["Invalid L.defaultRequest[cpu]"] },
    { limit: container({ defaultRequest: cpu("3"), max: cpu("2") }), expected: ["Invalid L.defaultRequest[cpu]"] },
    { limit: container({ defaultRequest: cpu("3"), default: cpu("2") }), expected: ["Invalid L.defaultRequest[cpu]"] },
    { limit: container({ min: cpu("3"), default: cpu("2") }), expected: ["Invalid L.default[cpu]"] },
    { limit: container({ default: cpu("3"), max: cpu("2") }), expected: ["Invalid L.default[cpu]"] },
    { limit: container({ max: { disk: "1" } }), expected: ["Invalid L.max[disk]", "Invalid L.max[disk]"] },
    { limit: container({ max: { pods: "1" } }), expected: ["Invalid L.max[pods]"] },
    { limit: { type: "PersistentVolumeClaim", max: { storage: "1Gi" } }, expected: [] },
    { limit: { type: "PersistentVolumeClaim", min: { storage: "1Gi" } }, expected: [] },
    { limit: { type: "PersistentVolumeClaim" }, expected: ["Required L.limits"] },
    { limit: { type: "Pod", max: cpu("1") }, expected: [] },
    { limit: { type: "Pod", default: cpu("1") }, expected: ["Forbidden L.default"] },
    { limit: { type: "Pod", defaultRequest: cpu("1") }, expected: ["Forbidden L.defaultRequest"] },
    { limit: container({ maxLimitRequestRatio: cpu("1") }), expected: [] },
    { limit: container({ maxLimitRequestRatio: cpu("999m") }), expected: ["Invalid L.maxLimitRequestRatio[cpu]"] },
    { limit: container({ min: cpu("1"), max: cpu("2"), maxLimitRequestRatio: cpu("2") }), expected: [] },
    {
      limit: container({ min: cpu("1"), max: cpu("2"), maxLimitRequestRatio: cpu("2001m") }),
      expected: ["Invalid L.maxLimitRequestRatio[cpu]"],
    },
    {
      limit: container({ default: { "a.io/gpu": "2" }, defaultRequest: { "a.io/gpu": "1" } }),
      expected: ["Invalid L.defaultRequest[a.io/gpu]"],
    },
    { limit: container({ default: { "a.io/gpu": "1" }, defaultRequest: { "a.io/gpu": "1" } }), expected: [] },
  ])("finds $expected in $limit", ({ limit, expected }) => {
    expect(problems(limit)).toEqual(expected);
  });

  it("takes each type once", () => {
    expect(problems(container({}), container({}))).toEqual(["Duplicate spec.limits[1].type"]);
    expect(problems(container({}), { type: "Pod" })).toEqual([]);
  });
});
