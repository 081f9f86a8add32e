import { describe, expect, it } from "vitest";
import { returnAgent } from "../../../../../src/hub/members/phases/return-agent.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
import type { JoinProtocol } from "../../../../../src/join/join.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const leaving = { [annotationKeys.leave]: "abc" };
const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };
const state = { keys, movedFrom: { workspace, name: "old" } };

/** The same protocol, whose agent has joined or not. */
function withAgent(protocol: JoinProtocol, hasJoined: boolean): JoinProtocol {
  return { ...protocol, factsOf: (member, hub) => ({ ...protocol.factsOf(member, hub), hasJoined }) };
}

describe("returnAgent", () => {
  it.each([
    { reason: "the agent has joined as the successor", own: leaving, old: {}, hasJoined: true, isReturned: true },
    { reason: "the agent has not joined yet", own: leaving, old: {}, hasJoined: false, isReturned: false },
    { reason: "the cluster is not removed", own: {}, old: {}, hasJoined: true, isReturned: false },
    { reason: "the predecessor is removed too", own: leaving, old: leaving, hasJoined: true, isReturned: false },
  ])("returns the agent ($isReturned) when $reason", async ({ own, old, hasJoined, isReturned }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: old });
    await world.addCluster("eu-1", { annotations: own, state });
    const scope = world.scopeOf("eu-1");
    const result = await returnAgent(
      { ...scope, member: scope.member, hub: scope.hub, protocol: withAgent(scope.protocol, hasJoined) },
      world.ports,
    );
    expect(result).toEqual(isReturned ? { kind: "done", requeueAfterMs: 0 } : { kind: "next" });
    const { annotations = {} } = world.clusterOf("eu-1")?.metadata ?? {};
    expect(annotations[annotationKeys.movedTo]).toBe(isReturned ? "fleet/old" : undefined);
    expect(world.stateOf("old")?.keys).toEqual(isReturned ? keys : undefined);
  });
});
