import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { readRecordedCluster } from "../../../../src/planning/views/recorded-cluster.ts";

function readRecord(fields: JsonObject) {
  return readRecordedCluster({ kind: "ClusterRecord", ...fields });
}

describe("readRecordedCluster", () => {
  it("reads nothing from another kind", () => {
    expect(readRecordedCluster({ kind: "TokenRecord" })).toBeUndefined();
  });

  it("passes over fields of another form, which any writer of the branch may put there", () => {
    const odd = { conditions: "x", labels: [1], keys: { a: 1 }, join: 3, agent: { version: 7 }, leave: "no" };
    expect(readRecord(odd)).toMatchObject({ state: "Declared", sign: "unknown" });
    expect(readRecord({ conditions: [{ type: 1 }, null, { type: "Ready", status: "maybe" }] })?.state).toBe(
      "AwaitingReport",
    );
  });
});
