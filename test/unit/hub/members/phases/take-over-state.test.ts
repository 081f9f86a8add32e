import { describe, expect, it } from "vitest";
import { takeOverState } from "../../../../../src/hub/members/phases/take-over-state.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
import type { ClusterParts } from "../member-world.ts";
import { openMemberWorld } from "../member-world.ts";

const spec = { previousName: "old" };
const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };
const moved = { [annotationKeys.movedTo]: "fleet/eu-1" };

describe("takeOverState", () => {
  it.each<{ reason: string; former: ClusterParts; own: ClusterParts; isTaken: boolean }>([
    { reason: "both name each other", former: { annotations: moved, state: { keys } }, own: { spec }, isTaken: true },
    { reason: "only the successor names the other", former: { state: { keys } }, own: { spec }, isTaken: false },
    {
      reason: "only the predecessor names the other",
      former: { annotations: moved, state: { keys } },
      own: {},
      isTaken: false,
    },
    {
      reason: "the predecessor names a third cluster",
      former: { annotations: { [annotationKeys.movedTo]: "fleet/eu-2" }, state: { keys } },
      own: { spec },
      isTaken: false,
    },
    {
      reason: "the successor has an agent of its own",
      former: { annotations: moved, state: { keys } },
      own: { spec, state: { keys: { signing: "own", sealing: "own" } } },
      isTaken: false,
    },
  ])("takes the state ($isTaken) when $reason", async ({ former, own, isTaken }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", former);
    await world.addCluster("eu-1", own);
    const before = world.stateOf("eu-1");
    const result = await takeOverState(world.scopeOf("eu-1"), world.ports);
    expect(result).toEqual(isTaken ? { kind: "done", requeueAfterMs: 0 } : { kind: "next" });
    if (isTaken) expect(world.stateOf("eu-1")).toMatchObject({ keys, movedFrom: { workspace: "fleet", name: "old" } });
    else expect(world.stateOf("eu-1")).toEqual(before);
  });
});
