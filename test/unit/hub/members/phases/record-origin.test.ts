import { describe, expect, it } from "vitest";
import { recordOrigin } from "../../../../../src/hub/members/phases/record-origin.ts";
import type { MemberState, MemberOrigin } from "../../../../../src/model/member-state.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import { fieldManagers } from "../../../../../src/model/well-known.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const leave = { commit: "abc", since: "2027-01-15T08:00:00Z" };

interface Row {
  readonly reason: string;
  readonly manager?: string;
  /** The state, given the origin that the Cluster shows. */
  readonly before: (shown: MemberOrigin) => MemberState;
  readonly after: (shown: MemberOrigin) => MemberState;
  readonly writes: number;
}

describe("recordOrigin", () => {
  it.each<Row>([
    {
      reason: "an origin that is recorded",
      before: (origin) => ({ origin, clientID: "uid-1" }),
      after: (origin) => ({ origin, clientID: "uid-1" }),
      writes: 0,
    },
    {
      reason: "a changed origin",
      before: () => ({ origin: { isDeclared: false } }),
      after: (origin) => ({ origin }),
      writes: 1,
    },
    {
      reason: "an offboarding that was cancelled",
      before: (origin) => ({ origin, leave }),
      after: (origin) => ({ origin }),
      writes: 1,
    },
    {
      reason: "an unchanged Cluster of the hub: the server added defaults to its spec",
      manager: fieldManagers.hub,
      before: () => ({ origin: { isDeclared: false } }),
      after: () => ({ origin: { isDeclared: false } }),
      writes: 0,
    },
  ])("keeps the state right for $reason", async ({ manager, before, after, writes }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "rollcall" }, ...(manager ? { manager } : {}) });
    const shown = world.originOf("eu-1");
    if (shown === undefined) throw new Error("no Cluster");
    await world.put(memberStateObject(workspace, "eu-1", before(shown)), fieldManagers.hub);
    expect(await recordOrigin(world.scopeOf("eu-1"))).toEqual({ kind: "next" });
    expect(world.stateOf("eu-1")).toEqual(after(shown));
    expect(world.asked()).toHaveLength(writes);
  });
});
