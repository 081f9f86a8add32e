import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";
import { faultsOf, many, named, text } from "./definition-faults.ts";

function listOf(keys: readonly string[], items: JsonObject): JsonObject {
  return {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": [...keys],
    items: { type: "object", ...items },
  };
}

describe("a definition", () => {
  it.each<readonly [string, JsonObject, number]>([
    [
      "unknown keys of a list",
      listOf(
        many(5000, (index) => `q${index}`),
        { properties: { a: text } },
      ),
      5000,
    ],
    [
      "repeated keys of a list",
      listOf(
        many(5000, () => "a"),
        { properties: { a: text }, required: ["a"] },
      ),
      4999,
    ],
    [
      "keys of a list that its items must have",
      listOf(Object.keys(named(10_000, () => text)), {
        properties: named(10_000, () => text),
        required: Object.keys(named(10_000, () => text)),
      }),
      0,
    ],
  ])("A257: thousands of %s are not printed or looked up anew for each", (_what, spec, count) => {
    expect(faultsOf(spec)).toHaveLength(count);
    expect(leastCpuMs(() => faultsOf(spec), 400)).toBeLessThan(400);
  });
});
