import { describe, expect, it } from "vitest";
import { forgetPredecessor } from "../../../../../src/hub/members/phases/forget-predecessor.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
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

  it.each<{ reason: string; arrange: (world: MemberWorld) => Promise<unknown>; movedTo?: string; isKept: boolean }>([
    { reason: "nothing of it is left", arrange: () => Promise.resolve(), isKept: false },
    {
      reason: "its state exists",
      arrange: (world) => world.put(memberStateObject("other", "new", {}), "rollcall-hub"),
      isKept: true,
    },
    { reason: "the move is not called off", arrange: () => Promise.resolve(), movedTo: "other/new", isKept: true },
  ])(
    "A286 remembers ($isKept) the cluster of another workspace whose take-over was called off when $reason",
    async ({ arrange, movedTo, isKept }) => {
      const takenOverBy = { workspace: "other", name: "new" };
      const world = await openMemberWorld([workspace, "other"]);
      const annotations: Record<string, string> = movedTo === undefined ? {} : { [annotationKeys.movedTo]: movedTo };
      await world.addCluster("eu-1", { annotations, state: { clientID: "uid-1", takenOverBy } });
      await arrange(world);
      expect(await forgetPredecessor(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
      expect(world.stateOf("eu-1")).toEqual({ clientID: "uid-1", ...(isKept ? { takenOverBy } : {}) });
    },
  );
});
