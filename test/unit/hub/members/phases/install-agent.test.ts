import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../../../src/core/digest.ts";
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

  /** One try with a credential that is ready; what the downstream cluster answers to an apply. */
  async function tryWith(answer: Error | object, { rejoin, ...parts }: Row["state"] & { signal?: AbortSignal } = {}) {
    const world = await openMemberWorld();
    await world.put(secret, "somebody");
    const state = { clientID: "uid-1", ...(rejoin === undefined ? {} : { rejoin }) };
    await world.addCluster("eu-1", { spec: ref, state });
    const closed: string[] = [];
    const logged: unknown[] = [];
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "rollcall-agent", ...answer } };
    const downstreamApi: KubeApi = {
      ...willing(world),
      get: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(namespace)),
      close: () => Promise.resolve(void closed.push("closed")),
    };
    const texts: string[] = [];
    const opened = world.scopeOf("eu-1", "rollcall", {
      pendingBootstrap: () => ({ number: 7, values: {} }),
      agentManifest: () => [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "rollcall-agent" } }],
    });
    const scope = Object.defineProperties(opened, "signal" in parts ? { signal: { value: parts.signal } } : {});
    const ports = {
      ...world.ports,
      log: { ...world.ports.log, warn: (_text: string, fields: object = {}) => void logged.push(fields) },
      connectDownstream: (text: string) => {
        texts.push(text);
        return downstreamApi;
      },
    };
    const outcome = await installAgent(scope, ports).then(
      () => scope.install,
      (error: unknown) => error,
    );
    return { ...world, outcome, closed, logged, texts };
  }

  it("connects by the kubeconfig of the file, records by what the agent was installed, and closes the connection", async () => {
    const { outcome, closed, texts, stateOf } = await tryWith({
      labels: { "app.kubernetes.io/managed-by": "rollcall" },
    });
    expect(outcome).toMatchObject({ kind: "installed" });
    expect([closed, texts]).toEqual([["closed"], ["text"]]);
    expect(stateOf("eu-1")).toMatchObject({
      clientID: "uid-1",
      install: { bootstrap: 7, kubeconfigDigest: sha256Hex("text") },
    });
  });

  it("records no installation while the namespace of the former agent is still being deleted", async () => {
    const { outcome, closed, stateOf } = await tryWith({ deletionTimestamp: "2027-01-15T08:00:00Z" });
    expect(outcome).toMatchObject({ kind: "pending", reason: "NamespaceEnding" });
    expect([closed, stateOf("eu-1")]).toEqual([["closed"], { clientID: "uid-1" }]);
  });

  it.each([
    { error: new AppError("E_KUBE_FORBIDDEN", "apply"), reason: "KubeconfigForbidden" },
    { error: new AppError("E_KUBE_UNREACHABLE", "apply"), reason: "DownstreamUnreachable" },
    { error: new TypeError("x is undefined"), reason: "InstallFailed" },
  ])("reports $reason when the downstream cluster fails, and records no installation", async ({ error, reason }) => {
    const { outcome, closed, stateOf, logged } = await tryWith(error);
    expect(outcome).toMatchObject({ reason });
    expect([closed, stateOf("eu-1")]).toEqual([["closed"], { clientID: "uid-1" }]);
    expect(logged).toEqual([{ cluster: "fleet/eu-1", error }]);
  });

  it.each<{ readonly state: MemberState; readonly remembered: object | undefined }>([
    { state: {}, remembered: { since: expect.any(String) as string, namespace: "there" } },
    { state: { installing: { since: "s", namespace: "there" } }, remembered: { since: "s", namespace: "there" } },
    { state: { install: { ...install, namespace: "there" } }, remembered: undefined },
    {
      state: { install: { ...install, namespace: "elsewhere" } },
      remembered: { since: expect.any(String) as string, namespace: "there" },
    },
  ])(
    "remembers an installation that is interrupted, before anything is there: $state",
    async ({ state, remembered }) => {
      const world = await openMemberWorld();
      await world.put(secret, "somebody");
      await world.addCluster("eu-1", { spec: ref, state: { clientID: "uid-1", ...state } });
      const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "agent", namespace: "there" } };
      const scope = world.scopeOf("eu-1", "rollcall", {
        pendingBootstrap: () => ({ number: 7, values: {} }),
        agentManifest: () => [deployment],
      });
      const before: unknown[] = [];
      let isInterrupted = true;
      const apply = (object: never) => {
        before.push(world.stateOf("eu-1")?.installing);
        return isInterrupted ? Promise.reject(new AppError("E_BUG", "the process ends")) : Promise.resolve(object);
      };
      const ports = { ...world.ports, connectDownstream: (): KubeApi => ({ ...willing(world), apply }) };
      await expect(installAgent(scope, ports)).rejects.toThrow("the process ends");
      expect([before, world.stateOf("eu-1")?.installing]).toEqual([[remembered], remembered]);
      expect(world.stateOf("eu-1")?.install).toEqual(state.install);
      isInterrupted = false;
      await installAgent(world.scopeOf("eu-1", "rollcall", { ...scope.protocol }), ports);
      expect(world.stateOf("eu-1")).toMatchObject({ clientID: "uid-1", install: { bootstrap: 7, namespace: "there" } });
      expect(world.stateOf("eu-1")?.installing).toBeUndefined();
    },
  );

  it("names the server that failed", async () => {
    const { outcome } = await tryWith(new AppError("E_KUBE_UNREACHABLE", "apply"));
    expect(outcome).toMatchObject({ message: expect.stringContaining("https://downstream") as string });
  });

  it("ends the pass by a defect, and closes the connection", async () => {
    const error = new AppError("E_BUG", "apply");
    const { outcome, closed, logged } = await tryWith(error);
    expect(outcome).toBe(error);
    expect([closed, logged]).toEqual([["closed"], []]);
  });

  it("ends the pass by a conflict on the hub", async () => {
    const world = await openMemberWorld();
    await world.put(secret, "somebody");
    await world.addCluster("eu-1", { spec: ref, state: {} });
    const conflict = new AppError("E_KUBE_CONFLICT", "write the state");
    const pendingBootstrap = () => ({ number: 7, values: {} });
    const scope = world.scopeOf("eu-1", "rollcall", { pendingBootstrap, agentManifest: () => [] });
    const write = { ...scope.write, updateState: () => Promise.reject(conflict) };
    const ports = { ...world.ports, connectDownstream: () => willing(world) };
    const changed = Object.defineProperties(scope, { write: { value: write } });
    await expect(installAgent(changed, ports)).rejects.toBe(conflict);
  });

  it("A109 reports a conflict that the downstream cluster answers with, however often it does", async () => {
    const { outcome, closed, logged } = await tryWith(
      new AppError("E_KUBE_CONFLICT", "apply Namespace/a: answered 409"),
    );
    expect(outcome).toMatchObject({
      reason: "InstallFailed",
      message: expect.stringContaining("answered 409") as string,
    });
    expect([closed, logged.length]).toEqual([["closed"], 1]);
  });

  it("ends the pass without a word when the daemon stops", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    const { outcome, logged } = await tryWith(new AppError("E_KUBE_UNREACHABLE", "get"), { signal });
    expect(outcome).toEqual(new Error("stopped"));
    expect(logged).toEqual([]);
  });

  it("keeps another reason for which the hub installs the agent again", async () => {
    const { stateOf } = await tryWith(new AppError("E_KUBE_UNREACHABLE", "get"), { rejoin: "Redeploy" });
    expect(stateOf("eu-1")).toEqual({ clientID: "uid-1", rejoin: "Redeploy" });
  });

  it("reports why an agent whose file names a kubeconfig is not installed by it", async () => {
    const world = await openMemberWorld();
    await world.put(secret, "somebody");
    await world.addCluster("eu-1", { spec: ref, state: {} });
    const missing = { reason: "TokenMissing", message: "m" };
    const scope = world.scopeOf("eu-1", "rollcall", {
      pendingBootstrap: () => undefined,
      whyNotInstalled: () => missing,
    });
    await installAgent(scope, world.ports);
    expect(scope.install).toEqual({ kind: "failed", ...missing });
  });

  it("reads the member and the time anew after the call to the downstream cluster, which may have taken long", async () => {
    const world = await openMemberWorld();
    await world.put(secret, "somebody");
    await world.addCluster("eu-1", { spec: ref, state: {} });
    const scope = world.scopeOf("eu-1", "rollcall", { pendingBootstrap: () => ({ number: 1, values: {} }) });
    const before = scope.hub.nowMs;
    const connectDownstream = (): never => {
      world.setNow(before + 60_000);
      throw new AppError("E_KUBE_UNREACHABLE", "connect");
    };
    await installAgent(scope, { ...world.ports, connectDownstream });
    expect(scope.hub.nowMs).toBe(before + 60_000);
  });
});
