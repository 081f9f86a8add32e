import { describe, expect, it } from "vitest";
import { finishMove } from "../../../../../src/hub/members/phases/finish-move.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const moved = { [annotationKeys.movedTo]: "fleet/eu-1" };
const movedFrom = { workspace, name: "old" };
const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };

describe("finishMove", () => {
  it.each<{ reason: string; annotations: Record<string, string>; successor: MemberState; isRemoved: boolean }>([
    { reason: "it is not renamed", annotations: {}, successor: { movedFrom }, isRemoved: false },
    { reason: "the successor has not taken its state", annotations: moved, successor: {}, isRemoved: false },
    { reason: "the agent has not moved yet", annotations: moved, successor: { movedFrom, keys }, isRemoved: false },
    { reason: "there never was an agent", annotations: moved, successor: { movedFrom }, isRemoved: true },
  ])("removes the predecessor ($isRemoved) when $reason", async ({ annotations, successor, isRemoved }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations, state: {} });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: successor });
    const result = await finishMove(world.scopeOf("old"), world.ports);
    expect(result).toEqual(isRemoved ? { kind: "done", requeueAfterMs: undefined } : { kind: "next" });
    expect(world.clusterOf("old") === undefined).toBe(isRemoved);
    expect(world.stateOf("old") === undefined).toBe(isRemoved);
    expect(world.events.map(({ reason }) => reason)).toEqual(isRemoved ? ["Moved"] : []);
  });
});
