import { describe, expect, it } from "vitest";
import { leavePreviousProtocol } from "../../../../../src/hub/members/phases/leave-previous-protocol.ts";
import type { JoinProtocol, OffboardingStep } from "../../../../../src/join/join.ts";
import { rollcallProtocol } from "../../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { Cluster } from "../../../../../src/model/generated/cluster.ts";
import type { Member } from "../../../../../src/model/member.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../../../src/model/well-known.ts";
import { startMs } from "../../../join/hub-scene.ts";
import type { ClusterParts } from "../member-world.ts";
import { openMemberWorld } from "../member-world.ts";

const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };
const originOf = (protocol: "rollcall" | "kubefleet" | "fleet") => ({ isDeclared: true, spec: { protocol } });

describe("leavePreviousProtocol", () => {
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
      const result = await leavePreviousProtocol(world.scopeOf("eu-1", "kubefleet"), world.ports);
      if (result.kind === "next") break;
      world.setNow(world.ports.clock.nowMs() + (result.requeueAfterMs ?? 0));
    }
    expect(await leavePreviousProtocol(world.scopeOf("eu-1", "kubefleet"), world.ports)).toEqual(expected);
    const { origin: _, ...rest } = world.stateOf("eu-1") ?? {};
    expect(rest).toEqual(left);
  });

  it("waits for a former protocol that the daemon does not serve, and keeps the state", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: { origin: originOf("fleet"), keys } });
    const scope = world.scopeOf("eu-1", "kubefleet");
    expect(await leavePreviousProtocol(scope, world.ports)).toEqual({ kind: "done", requeueAfterMs: 30_000 });
    expect(world.stateOf("eu-1")).toMatchObject({ keys, formerProtocol: { spec: { protocol: "fleet" } } });
  });

  it("gives a condition the time of its change, however many steps one pass takes", async () => {
    const world = await openMemberWorld();
    const state = { origin: originOf("rollcall"), keys };
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state });
    const metadata = { name: "rollcall-eu-1", namespace: "fleet", labels: { [labelKeys.cluster]: "eu-1" } };
    await world.put({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    world.setRequestMs(1000);
    await leavePreviousProtocol(world.scopeOf("eu-1", "kubefleet"), world.ports);
    expect(world.asked().filter((request) => request === "status Cluster/eu-1")).not.toHaveLength(1);
    expect(world.timesOf("eu-1", "Reconciling")).toHaveLength(1);
  });

  const since = new Date(startMs).toISOString().replace(".000", "");
  const origin = { isDeclared: true, spec: { protocol: "rollcall" as const } };

  /** A cluster that is to join by kubefleet from now on, and the steps by which its former agent parts. */
  async function changing(steps: readonly OffboardingStep[], parts: ClusterParts = {}) {
    const world = await openMemberWorld();
    const spec: Cluster["spec"] = { protocol: "kubefleet", ...parts.spec };
    await world.addCluster("eu-1", { state: { origin, keys }, ...parts, spec });
    const seen: Member[] = [];
    const rollcall: JoinProtocol = {
      ...rollcallProtocol,
      offboardingSteps: (member) => {
        seen.push(member);
        return [...steps];
      },
    };
    const protocols = new Map([...world.ports.protocols, ["rollcall" as const, rollcall]]);
    const forgotten: string[] = [];
    world.ports.health.forget = (key) => void forgotten.push(key);
    const ports = { ...world.ports, protocols };
    const run = () => leavePreviousProtocol(world.scopeOf("eu-1", "kubefleet"), ports);
    return { ...world, seen, forgotten, run };
  }

  it("records the change, with the commit that asks for it, before the first step", async () => {
    const { run, requests, stateOf } = await changing([{ kind: "wait", untilMs: startMs + 7000 }], {
      annotations: { [annotationKeys.sourceCommit]: "abc" },
    });
    expect(await run()).toEqual({ kind: "done", requeueAfterMs: 7000 });
    expect(requests[0]).toMatchObject({ verb: "apply", name: "ConfigMap/rollcall-cluster-eu-1" });
    expect(stateOf("eu-1")).toMatchObject({
      keys,
      formerProtocol: { spec: { protocol: "rollcall" }, leave: { commit: "abc", since } },
    });
  });

  it("counts the time of the agent from the first pass, and begins nothing anew while a step waits", async () => {
    const uninstall: OffboardingStep = { kind: "uninstall", refs: [] };
    const { run, stateOf, setNow, events } = await changing([uninstall]);
    expect(await run()).toMatchObject({ kind: "done" });
    setNow(startMs + 14 * 60_000);
    expect(await run()).toMatchObject({ kind: "done" });
    expect([stateOf("eu-1")?.keys, events]).toEqual([keys, []]);
    setNow(startMs + 15 * 60_000);
    expect(await run()).toEqual({ kind: "next" });
    expect(stateOf("eu-1")?.keys).toBeUndefined();
    expect(events.map(({ reason }) => reason)).toEqual(["AgentLeftBehind", "ProtocolChanged"]);
  });

  it("records each step that is done, so that it does not run again", async () => {
    const revoke: OffboardingStep = { kind: "delete", purpose: "revoke", refs: [] };
    const { run, stateOf, seen } = await changing([revoke, { kind: "wait", untilMs: startMs + 7000 }]);
    await run();
    expect(stateOf("eu-1")?.formerProtocol?.leave).toMatchObject({ since, revokedAt: since });
    await run();
    expect(seen.at(-1)?.state?.leave).toMatchObject({ revokedAt: since });
  });

  it("keeps the state of the member, which continues with the other protocol", async () => {
    const state = { type: resourceTypes.configMap, namespace: "fleet", name: "rollcall-cluster-eu-1" };
    const account = { type: resourceTypes.serviceAccount, namespace: "fleet", name: "rollcall-eu-1" };
    const others = { ...state, namespace: "labs" };
    const credential = { ...state, type: resourceTypes.secret };
    const facts = { ...state, name: "rollcall-facts-eu-1" };
    const { run, requests, put, stateOf } = await changing([
      { kind: "delete", purpose: "objects", refs: [account, state, others, credential, facts] },
    ]);
    const made = { apiVersion: "v1", metadata: { namespace: "fleet" } };
    await put({ ...made, kind: "Secret", metadata: { ...made.metadata, name: credential.name } });
    await put({ ...made, kind: "ConfigMap", metadata: { ...made.metadata, name: facts.name } });
    await put({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "rollcall-eu-1", namespace: "fleet" } });
    expect(await run()).toEqual({ kind: "next" });
    expect(requests.filter(({ verb }) => verb === "delete").map(({ name }) => name)).toEqual([
      "ServiceAccount/rollcall-eu-1",
      "Secret/rollcall-cluster-eu-1",
      "ConfigMap/rollcall-facts-eu-1",
    ]);
    expect(stateOf("eu-1")).toBeDefined();
  });

  it.each<{ reason: string; former: Cluster["spec"]; current: Cluster["spec"]; expected: Cluster["spec"] }>([
    {
      reason: "with the kubeconfig of the current file, where it had one",
      former: { kubeConfigSecretRef: { name: "old" } },
      current: { kubeConfigSecretRef: { name: "new" } },
      expected: { kubeConfigSecretRef: { name: "new" } },
    },
    {
      reason: "with its own kubeconfig, where the current file names none",
      former: { kubeConfigSecretRef: { name: "old" } },
      current: {},
      expected: { kubeConfigSecretRef: { name: "old" } },
    },
    {
      reason: "without a kubeconfig that it never had",
      former: {},
      current: { kubeConfigSecretRef: { name: "new" } },
      expected: {},
    },
    {
      reason: "with the deletionPolicy of the current file",
      former: { deletionPolicy: "Detach" },
      current: { deletionPolicy: "Uninstall" },
      expected: { deletionPolicy: "Uninstall" },
    },
    {
      reason: "with its own deletionPolicy otherwise",
      former: { deletionPolicy: "Detach" },
      current: {},
      expected: { deletionPolicy: "Detach" },
    },
    {
      reason: "without a removal of what was placed: the cluster stays in the fleet",
      former: { placedResources: "Remove" },
      current: {},
      expected: {},
    },
  ])("shows the former protocol a cluster that leaves, $reason", async ({ former, current, expected }) => {
    const { run, seen } = await changing([{ kind: "wait", untilMs: startMs + 7000 }], {
      annotations: { [annotationKeys.sourceCommit]: "abc" },
      spec: { ...current },
      state: { keys, origin: { isDeclared: true, spec: { protocol: "rollcall", ...former } } },
    });
    await run();
    expect(seen[0]?.cluster.spec).toEqual({ protocol: "rollcall", ...expected });
    expect(seen[0]?.cluster.metadata.annotations?.[annotationKeys.leave]).toBe("abc");
    expect(seen[0]?.state).toMatchObject({ keys, leave: { commit: "abc", since } });
  });

  it("continues with the numbers of credentials and the labels, and forgets the agent", async () => {
    const labels = { agent: { a: "1" } };
    const credential = { number: 5, issuedAt: since, expiresAt: since };
    const { run, stateOf, forgotten, events } = await changing([], {
      state: { origin, keys, clientID: "uid-1", labels, credential, lastCredentialNumber: 4 },
    });
    expect(await run()).toEqual({ kind: "next" });
    const { origin: now, ...rest } = stateOf("eu-1") ?? {};
    expect(now).toMatchObject({ isDeclared: true, spec: { protocol: "kubefleet" } });
    expect(rest).toEqual({ labels, lastCredentialNumber: 5 });
    expect(forgotten).toEqual(["fleet/eu-1"]);
    expect(events).toMatchObject([{ type: "Normal", reason: "ProtocolChanged" }]);
  });

  it("writes each status to the version of the Cluster that it was computed from", async () => {
    const { run, requests, clusterOf } = await changing([{ kind: "wait", untilMs: startMs + 7000 }]);
    const { uid, resourceVersion } = clusterOf("eu-1")?.metadata ?? {};
    await run();
    const statuses = requests.filter(({ verb }) => verb === "status");
    expect(statuses[0]).toMatchObject({ object: { metadata: { uid, resourceVersion } } });
    expect(resourceVersion).toBeDefined();
    expect(JSON.stringify(statuses)).toContain("ChangingProtocol");
  });
});
