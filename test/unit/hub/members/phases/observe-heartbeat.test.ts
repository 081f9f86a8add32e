import { describe, expect, it } from "vitest";
import { observeHeartbeat } from "../../../../../src/hub/members/phases/observe-heartbeat.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const lease = (name: string) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: workspace, name, labels: { [labelKeys.cluster]: "eu-1" } },
  spec: { renewTime: "2027-01-15T08:00:00.000000Z" },
});

describe("observeHeartbeat", () => {
  it.each([
    { reason: "a member without a Lease", put: [], spec: {}, expected: ["fleet/eu-1", 180_000, undefined] },
    {
      reason: "the Lease of the agent",
      put: [lease("rollcall-eu-1")],
      spec: {},
      expected: ["fleet/eu-1", 180_000, "2027-01-15T08:00:00.000000Z"],
    },
    {
      reason: "the window of the file",
      put: [],
      spec: { heartbeat: { periodSeconds: 10, failureThreshold: 3 } },
      expected: ["fleet/eu-1", 30_000, undefined],
    },
  ])("passes the marker and the window of $reason", async ({ put, spec, expected }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec });
    for (const object of put) await world.put(object, "rollcall-agent");
    const seen: unknown[][] = [];
    const observe = (...args: readonly unknown[]): void => void seen.push(args.slice(0, 3));
    expect(observeHeartbeat(world.scopeOf("eu-1"), { health: { observe } })).toEqual({ kind: "next" });
    expect(seen).toEqual([expected]);
  });
});
