import { describe, expect, it } from "vitest";
import { leaveFormerProtocol } from "../../../../../src/hub/members/phases/leave-former-protocol.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
import { openMemberWorld } from "../member-world.ts";

const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };
const originOf = (protocol: "rollcall" | "kubefleet" | "fleet") => ({ isDeclared: true, spec: { protocol } });

describe("leaveFormerProtocol", () => {
  it.each<{ reason: string; state: MemberState; expected: object; left: MemberState }>([
    {
      reason: "the protocol is the same",
      state: { origin: originOf("kubefleet"), keys },
      expected: { kind: "next" },
      left: { keys },
    },
    {
      reason: "no agent of the former protocol is left: the state is cleared",
      state: { origin: originOf("rollcall"), keys, lastCredentialNumber: 3 },
      expected: { kind: "next" },
      left: { lastCredentialNumber: 3 },
    },
  ])("proceeds when $reason", async ({ state, expected, left }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state });
    for (let pass = 0; pass < 3; pass++) {
      const result = await leaveFormerProtocol(world.scopeOf("eu-1", "kubefleet"), world.ports);
      if (result.kind === "next") break;
      world.setNow(world.ports.clock.nowMs() + (result.requeueAfterMs ?? 0));
    }
    expect(await leaveFormerProtocol(world.scopeOf("eu-1", "kubefleet"), world.ports)).toEqual(expected);
    const { origin: _, ...rest } = world.stateOf("eu-1") ?? {};
    expect(rest).toEqual(left);
  });

  it("waits for a former protocol that the daemon does not serve, and keeps the state", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: { origin: originOf("fleet"), keys } });
    const scope = world.scopeOf("eu-1", "kubefleet");
    expect(await leaveFormerProtocol(scope, world.ports)).toEqual({ kind: "done", requeueAfterMs: 30_000 });
    expect(world.stateOf("eu-1")).toMatchObject({ keys, formerProtocol: { spec: { protocol: "fleet" } } });
  });

  it("gives a condition the time of its change, however many steps one pass takes", async () => {
    const world = await openMemberWorld();
    const state = { origin: originOf("rollcall"), keys };
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state });
    const metadata = { name: "rollcall-eu-1", namespace: "fleet", labels: { [labelKeys.cluster]: "eu-1" } };
    await world.put({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    world.setRequestMs(1000);
    await leaveFormerProtocol(world.scopeOf("eu-1", "kubefleet"), world.ports);
    expect(world.asked().filter((request) => request === "status Cluster/eu-1")).not.toHaveLength(1);
    expect(world.timesOf("eu-1", "Reconciling")).toHaveLength(1);
  });
});
