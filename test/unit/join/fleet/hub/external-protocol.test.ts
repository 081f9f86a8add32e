import { describe, expect, it } from "vitest";
import { externalFleetProtocol as protocol } from "../../../../../src/join/fleet/hub/external-protocol.ts";
import { renderFleetCluster } from "../../../../../src/join/fleet/hub/fleet-cluster.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import type { Cluster } from "../../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import { fleetMemberOf, fleetTokenOf } from "../fleet-scene.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";

const fleetCluster = (status: object = {}): KubeObject => ({ ...renderFleetCluster(fleetMemberOf("eu-1")), status });
const agent = { lastSeen: "t", namespace: "edge" };
const hourMs = 3_600_000;

describe("factsOf: beside Fleet's own controllers", () => {
  const said = (status: object) => protocol.factsOf(fleetMemberOf("eu-1", { children: [fleetCluster(status)] }));
  const prefix = "The agent sends heartbeats; Fleet says: ";

  it.each<[object, string]>([
    [{}, "nothing."],
    [{ display: { readyBundles: "1/2" } }, "1/2 bundles are ready."],
    [{ conditions: [{ type: "Ready", message: "m" }] }, "m."],
    [
      {
        conditions: [
          { type: "Ready", message: "" },
          { type: "Other", message: "o" },
        ],
      },
      "nothing.",
    ],
    [{ display: { readyBundles: "1/2" }, conditions: [{ type: "Ready", message: "m" }] }, "1/2 bundles are ready; m."],
  ])("of %j: %s", (status, text) => {
    expect(said({ agent, ...status }).health?.message).toBe(`${prefix}${text}`);
  });

  it("is that no agent has joined before one reported", () => {
    expect(said({})).toMatchObject({ hasJoined: false, health: undefined, status: {} });
    expect(said({ agent })).toMatchObject({ hasJoined: true, status: { agent: { namespace: "edge" } } });
    expect(protocol.factsOf(fleetMemberOf("eu-1"))).toMatchObject({ hasJoined: false, status: {} });
  });
});

describe("tokens beside Fleet's own controllers", () => {
  const statusOf = (secretName?: unknown): unknown => {
    const token = fleetTokenOf("edge");
    const children = token.children.map((child) => ({ ...child, status: { secretName } }));
    return protocol.tokenStatuses({ ...token, children }, indexMembers([]), hubFacts())[0]?.status["secretName"];
  };

  it("have a Secret once Fleet's object names one", () => {
    expect([statusOf("edge"), statusOf(""), statusOf(undefined)]).toEqual(["edge", undefined, undefined]);
  });

  it("are Fleet's own objects until they end", () => {
    const token = fleetTokenOf("edge", { ttl: "1h" });
    const at = (laterMs: number) => protocol.desiredTokenObjects(token, hubFacts({ nowMs: startMs + laterMs })).length;
    expect([at(hourMs - 1), at(hourMs)]).toEqual([1, 0]);
    expect(protocol.keptObjects({ kind: "token", subject: token })).toEqual([]);
  });
});

describe("a leave beside Fleet's own controllers", () => {
  const memo = memberStateObject(workspace, "eu-1", {});
  it("deletes Fleet's Cluster and the state, as far as they are there", () => {
    const removed = (...children: KubeObject[]): unknown[] =>
      protocol
        .offboardingSteps(fleetMemberOf("eu-1", { children }))
        .flatMap((step) => ("refs" in step ? step.refs.map(({ type }) => type.kind) : []));
    expect(removed(fleetCluster(), memo)).toEqual(["Cluster", "ConfigMap"]);
    expect(removed(memo)).toEqual(["ConfigMap"]);
    expect(removed(fleetCluster())).toEqual(["Cluster"]);
    expect(removed()).toEqual([]);
  });
});

describe("renderFleetCluster: a Cluster's file in Fleet's terms", () => {
  const specOf = (spec: Cluster["spec"], state?: object): unknown =>
    renderFleetCluster(fleetMemberOf("eu-1", { spec, ...(state === undefined ? {} : { state }) }))["spec"];

  it.each<[string, Cluster["spec"], object | undefined, unknown]>([
    ["declares nothing that the file does not declare", {}, undefined, undefined],
    ["is paused", { paused: true }, undefined, { paused: true }],
    ["is not paused", { paused: false }, undefined, undefined],
    ["has the clientID of the file", { clientID: "said" }, { clientID: "found" }, { clientID: "said" }],
    ["has the clientID that its agent found", {}, { clientID: "found" }, { clientID: "found" }],
    ["has a kubeconfig", { kubeConfigSecretRef: { name: "k" } }, undefined, { kubeConfigSecret: "k" }],
    [
      "has a kubeconfig under Fleet's key",
      { kubeConfigSecretRef: { name: "k", key: "value" } },
      undefined,
      { kubeConfigSecret: "k" },
    ],
    [
      "has no kubeconfig under another key, which Fleet would not find",
      { kubeConfigSecretRef: { name: "k", key: "config" } },
      undefined,
      undefined,
    ],
    ["is in the node's network", { agent: { hostNetwork: true } }, undefined, { hostNetwork: true }],
    ["is not in the node's network", { agent: { hostNetwork: false } }, undefined, undefined],
  ])("%s", (...[, spec, state, expected]) => {
    expect(specOf(spec, state)).toEqual(expected ?? specOf({}));
    if (expected === undefined) expect(Object.keys(specOf(spec, state) ?? {})).toEqual([]);
  });

  it("has the labels of the file, without ours", () => {
    const member = fleetMemberOf("eu-1");
    const labels = { env: "prod", "rollcall.dev/x": "y" };
    const labeled = { ...member, cluster: { ...member.cluster, metadata: { ...member.cluster.metadata, labels } } };
    expect(renderFleetCluster(labeled).metadata.labels).toEqual({
      env: "prod",
      "fleet.cattle.io/cluster": "eu-1",
      "rollcall.dev/cluster": "eu-1",
    });
  });
});
