import { describe, expect, it } from "vitest";
import { forgetPredecessor } from "../../../../../src/hub/members/phases/forget-predecessor.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import type { MemberWorld } from "../member-world.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const movedFrom = { workspace, name: "old" };

describe("forgetPredecessor", () => {
  it.each<{ reason: string; arrange: (world: MemberWorld) => Promise<unknown>; isKept: boolean }>([
    { reason: "nothing of it is left", arrange: () => Promise.resolve(), isKept: false },
    { reason: "its Cluster exists", arrange: (world) => world.addCluster("old"), isKept: true },
    {
      reason: "its state exists",
      arrange: (world) => world.put(memberStateObject(workspace, "old", {}), "rollcall-hub"),
      isKept: true,
    },
  ])("remembers the predecessor ($isKept) when $reason", async ({ arrange, isKept }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: { clientID: "uid-1", movedFrom } });
    await arrange(world);
    expect(await forgetPredecessor(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
    expect(world.stateOf("eu-1")).toEqual({ clientID: "uid-1", ...(isKept ? { movedFrom } : {}) });
  });
});
