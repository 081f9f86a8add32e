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

  it("A75 revokes the new name when the old one is revoked on the way, once: a change of its file admits it again", async () => {
    const revoked = annotationKeys.revoked;
    const by = "eve/2026-01-01T00:00:00Z";
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: { ...moved, [revoked]: `-/${by}` }, state: { keys } });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: {} });
    const revocationOf = (name: string): unknown => world.clusterOf(name)?.metadata.annotations?.[revoked];
    await finishMove(world.scopeOf("old"), world.ports);
    expect([revocationOf("eu-1"), revocationOf("old")]).toEqual([`-/${by}`, `passed-on/${by}`]);
    const again = world.scopeOf("old");
    await finishMove(again, world.ports);
    expect(world.asked()).toEqual([]);
  });

  it.each([
    { reason: "is not renamed", annotations: { [annotationKeys.revoked]: "-/eve/now" } },
    { reason: "is not revoked", annotations: moved },
  ])("revokes no other cluster for one that $reason", async ({ annotations }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations, state: { keys } });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: {} });
    await finishMove(world.scopeOf("old"), world.ports);
    expect(world.clusterOf("eu-1")?.metadata.annotations?.[annotationKeys.revoked]).toBeUndefined();
  });
});
