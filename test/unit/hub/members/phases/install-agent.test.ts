import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import { installAgent } from "../../../../../src/hub/members/phases/install-agent.ts";
import type { JoinProtocol } from "../../../../../src/join/join.ts";
import type { KubeApi } from "../../../../../src/kube/kube.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { MemberWorld } from "../member-world.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: workspace, name: "kubeconfig" },
  data: { value: Buffer.from("text").toString("base64") },
};
const install = {
  manifestDigest: "m",
  kubeconfigDigest: "k",
  redeployGeneration: 0,
  time: "2027-01-15T08:00:00Z",
  bootstrap: 1,
};

function willing({ ports }: MemberWorld): KubeApi {
  const closed = { get: () => Promise.resolve(undefined), apply: (object: never) => Promise.resolve(object) };
  return { ...ports.hubApi, ...closed, server: "https://downstream", close: () => Promise.resolve() };
}

interface Row {
  readonly reason: string;
  readonly spec?: object;
  readonly hasSecret?: boolean;
  readonly isPending?: boolean;
  readonly state?: MemberState;
  readonly connect?: (world: MemberWorld) => KubeApi;
  readonly expected: string | undefined;
}
const ref = { kubeConfigSecretRef: { name: "kubeconfig" } };
const unreachable = (): never => {
  throw new AppError("E_KUBE_UNREACHABLE", "connect: nothing answers");
};

describe("installAgent", () => {
  it.each<Row>([
    { reason: "the file names no kubeconfig", spec: {}, expected: undefined },
    { reason: "the agent is installed", state: { install }, expected: "AgentInstalled" },
    { reason: "no credential is issued yet", expected: "PreparingAgent" },
    { reason: "the Secret is missing", isPending: true, hasSecret: false, expected: "KubeconfigMissing" },
    { reason: "the cluster does not answer", isPending: true, connect: unreachable, expected: "DownstreamUnreachable" },
    { reason: "the cluster takes the agent", isPending: true, connect: willing, expected: "AgentInstalled" },
  ])(
    "is $expected when $reason",
    async ({ spec = ref, hasSecret = true, isPending, state = {}, connect, expected }) => {
      const world = await openMemberWorld();
      if (hasSecret) await world.put(secret, "somebody");
      await world.addCluster("eu-1", { spec, state });
      const opened = world.scopeOf("eu-1");
      const protocol: JoinProtocol = {
        ...opened.protocol,
        pendingBootstrap: () => (isPending ? { number: 1, values: {} } : undefined),
        agentManifest: () => [],
      };
      const scope = { ...opened, member: opened.member, hub: opened.hub, protocol };
      const connectDownstream = (): KubeApi => (connect ?? unreachable)(world);
      expect(await installAgent(scope, { ...world.ports, connectDownstream })).toEqual({ kind: "next" });
      expect(scope.install?.reason).toBe(expected);
      expect(world.stateOf("eu-1")?.install?.bootstrap).toBe(expected === "AgentInstalled" ? 1 : undefined);
    },
  );

  it("gives up the repair of a lost agent whose cluster does not answer", async () => {
    const world = await openMemberWorld();
    await world.put(secret, "somebody");
    await world.addCluster("eu-1", { spec: ref, state: { rejoin: "AgentLost", clientID: "uid-1" } });
    const opened = world.scopeOf("eu-1");
    const protocol: JoinProtocol = { ...opened.protocol, pendingBootstrap: () => ({ number: 1, values: {} }) };
    await installAgent({ ...opened, member: opened.member, hub: opened.hub, protocol }, world.ports);
    expect(world.stateOf("eu-1")).toEqual({ clientID: "uid-1" });
  });
});
