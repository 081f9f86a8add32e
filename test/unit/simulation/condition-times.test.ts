import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { conditionsKeepTheirTime } from "../../simulation/invariants/condition-times.ts";
import type { RowChange } from "../../simulation/invariants/invariant.ts";

function cluster(status: string, lastTransitionTime: string, uid = "first"): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { namespace: "fleet", name: "eu-1", uid },
    status: { conditions: [{ type: "Ready", status, lastTransitionTime }] },
  };
}

const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"];

describe("conditionsKeepTheirTime", () => {
  it.each([
    { reason: "the time moves, and the status stays", after: cluster("True", late), expected: 1 },
    { reason: "the status changes with the time", after: cluster("False", late), expected: 0 },
    { reason: "nothing changes", after: cluster("True", early), expected: 0 },
    { reason: "it is another object", after: cluster("True", late, "second"), expected: 0 },
  ])("finds $expected violations where $reason", ({ after, expected }) => {
    const violations: string[] = [];
    const invariant = conditionsKeepTheirTime({ violate: (_, text) => void violations.push(text) });
    const change: Omit<RowChange, "row"> = {
      key: "/rollcall.dev/clusters/fleet/eu-1",
      before: cluster("True", early),
      after,
    };
    invariant.onRow?.(change as RowChange);
    expect(violations).toHaveLength(expected);
  });
});
