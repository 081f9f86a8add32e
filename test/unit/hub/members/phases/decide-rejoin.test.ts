import { describe, expect, it } from "vitest";
import { decideRejoin } from "../../../../../src/hub/members/phases/decide-rejoin.ts";
import type { JoinProtocol, RejoinDecision } from "../../../../../src/join/join.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: workspace, name: "kubeconfig" },
  data: { value: Buffer.from("text").toString("base64") },
};
const withRejoin = (protocol: JoinProtocol, result: RejoinDecision): JoinProtocol => ({
  ...protocol,
  rejoinOf: () => result,
});

describe("decideRejoin", () => {
  it.each<{ reason: string; result: RejoinDecision; hasKubeconfig: boolean; state: MemberState; rejoin?: string }>([
    { reason: "nothing is to be done", result: {}, hasKubeconfig: true, state: {} },
    { reason: "no kubeconfig is there", result: { reason: "AgentLost" }, hasKubeconfig: false, state: {} },
    {
      reason: "the agent is lost",
      result: { reason: "AgentLost" },
      hasKubeconfig: true,
      state: {},
      rejoin: "AgentLost",
    },
    { reason: "the agent is back", result: {}, hasKubeconfig: true, state: { rejoin: "AgentLost" } },
    {
      reason: "the agent is lost for another reason",
      result: { reason: "AgentLost" },
      hasKubeconfig: false,
      state: { rejoin: "Redeploy" },
      rejoin: "AgentLost",
    },
    {
      reason: "the agent is back, and the kubeconfig is deleted",
      result: {},
      hasKubeconfig: false,
      state: { rejoin: "AgentLost" },
    },
  ])("records $rejoin when $reason", async ({ result, hasKubeconfig, state, rejoin }) => {
    const world = await openMemberWorld();
    if (hasKubeconfig) await world.put(secret, "somebody");
    await world.addCluster("eu-1", { spec: { kubeConfigSecretRef: { name: "kubeconfig" } }, state });
    const opened = world.scopeOf("eu-1");
    const protocol = withRejoin(opened.protocol, { ...result, changesAtMs: 7 });
    const scope = { ...opened, member: opened.member, hub: opened.hub, protocol };
    expect(await decideRejoin(scope, world.ports)).toEqual({ kind: "next" });
    expect(world.stateOf("eu-1")?.rejoin).toBe(rejoin);
    expect(scope.rejoinDueAtMs).toBe(7);
    expect(world.stateOf("eu-1")?.rejoinAt !== undefined).toBe(rejoin !== undefined);
    const requests = rejoin === state.rejoin ? [] : ["apply ConfigMap/rollcall-cluster-eu-1"];
    expect(world.asked()).toEqual(requests);
  });
});
