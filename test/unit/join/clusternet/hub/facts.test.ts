import { describe, expect, it } from "vitest";
import {
  isOnlyClusternetHeartbeat,
  memberFacts,
  memberStatusWrites,
} from "../../../../../src/join/clusternet/hub/facts.ts";
import type { ClusterStatus } from "../../../../../src/model/generated/cluster.ts";
import { hubFacts } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { clusternetMemberOf, granted, heard, id, managedOf, requestOf, revoked, time } from "../clusternet-scene.ts";

const state = granted();
const approved = requestOf({ status: { result: "Approved" } });
const statusOf = (status: object, labels?: Record<string, string>) =>
  memberFacts(
    clusternetMemberOf({
      children: [
        managedOf(status, labels === undefined ? {} : { labels: { ...managedOf().metadata.labels, ...labels } }),
      ],
    }),
  ).status;

describe("factsOf: a Clusternet member", () => {
  it.each<[string, MemberParts, boolean, string]>([
    ["nobody was let in", {}, false, "Unknown NotIssued"],
    ["the answer is being made", { state, children: [requestOf()] }, false, "Unknown Issuing"],
    ["the answer is there", { state, children: [approved] }, true, "True NotRotatable"],
    ["the agent was heard", { state, children: [managedOf(heard)] }, true, "True NotRotatable"],
    ["the agent is silent", { state, children: [managedOf()] }, false, "Unknown Issuing"],
    ["it is revoked", { state, children: [approved], annotations: revoked }, true, "False Revoked"],
    ["it was let in by their approver", { children: [managedOf(heard)] }, true, "Unknown NotIssued"],
  ])("when %s", (_when, parts, hasJoined, expected) => {
    const { credentials, ...facts } = memberFacts(clusternetMemberOf(parts));
    expect([facts.hasJoined, `${credentials.status} ${credentials.reason}`]).toEqual([hasJoined, expected]);
  });

  const healthOf = (status: object) =>
    memberFacts(clusternetMemberOf({ children: [managedOf({ ...heard, ...status })] })).health;
  it.each([
    [{ livez: true, readyz: true }, true],
    [{ healthz: true }, true],
    [{ livez: true }, false],
    [{ readyz: true }, false],
    [{ livez: false, readyz: true, healthz: false }, false],
    [{}, false],
  ])("is well when its agent reports %j: %s", (status, isHealthy) => {
    expect(healthOf(status)).toMatchObject({ isHealthy, reason: isHealthy ? "AgentBeats" : "ApiServerNotReady" });
  });

  it("has no health before a heartbeat, and counts its nodes", () => {
    expect(memberFacts(clusternetMemberOf({ children: [managedOf({ healthz: true })] })).health).toBeUndefined();
    expect(healthOf({ healthz: true, nodeStatistics: { readyNodes: 2, lostNodes: 1 } })?.message).toBe(
      "The cluster's API server is well. 2 of 3 nodes are ready.",
    );
    expect(healthOf({})?.message).toBe(
      "The agent reports of its API server: healthz false, livez false, readyz false.",
    );
  });

  it("has a version of its agent as far as the agent reports one", () => {
    const agentOf = (status: object) =>
      memberFacts(clusternetMemberOf({ children: [managedOf(status)] })).agent.message;
    expect(agentOf({})).toContain("does not say its version");
    expect(agentOf({ agentVersion: "v".repeat(70) })).toContain(`says it is ${"v".repeat(64)};`);
  });
});

describe("factsOf: what a Clusternet agent reports of its cluster", () => {
  it("is shown field by field", () => {
    const said = {
      k8sVersion: "v1.34.4",
      platform: "linux/amd64",
      apiserverURL: "https://api:6443",
      agentVersion: "v0.18.0",
      clusterCIDR: "10.0.0.0/8",
      livez: true,
      readyz: false,
      capacity: { cpu: "8" },
      nodeStatistics: { readyNodes: 2, notReadyNodes: 1, unknownNodes: 3, lostNodes: 4 },
    };
    expect(statusOf(said, { "node.clusternet.io/zone": "a" })).toEqual({
      agent: { namespace: "clusternet-system", version: "v0.18.0" },
      kubernetesVersion: "v1.34.4",
      platform: "linux/amd64",
      nodes: { total: 10, ready: 2, notReady: 1, unknown: 7 },
      resources: { capacity: { cpu: "8" } },
      health: { livez: true, readyz: false },
      apiServer: { url: "https://api:6443" },
      properties: { "clusternet.io/clusterCIDR": "10.0.0.0/8", "node.clusternet.io/zone": "a" },
    });
  });

  it.each<[object]>([
    [{ k8sVersion: "1.34 <b>" }],
    [{ k8sVersion: "xv1.34" }],
    [{ platform: "linux" }],
    [{ platform: "linux/amd64/x" }],
    [{ apiserverURL: "ftp://api" }],
    [{ apiserverURL: "xhttps://api" }],
    [{ apiserverURL: "https://user@api" }],
    [{ apiserverURL: "https://api?x" }],
    [{ agentVersion: "a b" }],
    [{ agentVersion: "v".repeat(129) }],
    [{ clusterCIDR: "" }],
    [{ clusterCIDR: "x".repeat(129) }],
    [{ livez: true }],
    [{ readyz: true }],
    [{ livez: "true", readyz: true }],
    [{ capacity: {} }],
    [{}],
  ])("is left out where it is %j", (status) => {
    expect(statusOf(status)).toEqual({ agent: { namespace: "clusternet-system" } });
  });

  it("counts no node below zero, no half one, and no more than the field holds", () => {
    expect(statusOf({ nodeStatistics: { readyNodes: -1, notReadyNodes: 1.5 } }).nodes).toMatchObject({
      total: 1,
      ready: 0,
      notReady: 1,
    });
    expect(statusOf({ nodeStatistics: { readyNodes: 1e12 } }).nodes).toMatchObject({
      total: 2 ** 31 - 1,
      ready: 2 ** 31 - 1,
    });
  });

  it("has 64 labels of nodes, and none of another prefix", () => {
    const labels = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`node.clusternet.io/${index}`, "x"]));
    const { properties = {} } = statusOf({}, { ...labels, "other.io/x": "y" });
    expect(Object.keys(properties)).toHaveLength(64);
    expect(properties).not.toHaveProperty("other.io/x");
    expect(statusOf({ clusterCIDR: "x".repeat(128) }).properties).toBeDefined();
  });

  it("is beside who the member is", () => {
    expect(memberFacts(clusternetMemberOf({ state })).status).toEqual({ identity: { clientID: id } });
    expect(memberFacts(clusternetMemberOf()).status).toEqual({});
  });
});

describe("statusWrites: a Clusternet member", () => {
  const silent = (status: "Unknown" | "False", reason: string): ClusterStatus => ({
    conditions: [{ type: "Healthy", status, reason, message: "It is silent.", lastTransitionTime: time(0) }],
  });
  const written = (parts: MemberParts, status: ClusterStatus) =>
    memberStatusWrites(clusternetMemberOf(parts), hubFacts(), status);
  const missed = silent("Unknown", "HeartbeatMissed");

  it.each([
    ["was heard before", heard, "ClusterStatusUnknown"],
    ["was never heard", {}, "ClusterStatusNeverUpdated"],
  ])("reports in Clusternet's words that an agent is unresponsive that %s", (_which, said, reason) => {
    expect(written({ children: [managedOf(said)] }, missed)).toMatchObject([
      {
        ref: { name: "eu-1" },
        status: {
          conditions: [{ type: "Ready", status: "Unknown", reason, message: "It is silent." }],
          healthz: false,
          livez: false,
          readyz: false,
        },
      },
    ]);
  });

  it("writes nothing where its agent is well, unwell by its own word, or not there", () => {
    const children = [managedOf(heard)];
    expect(written({ children }, {})).toEqual([]);
    expect(written({ children }, silent("False", "HeartbeatMissed"))).toEqual([]);
    expect(written({ children }, silent("Unknown", "WaitingForFirstBeat"))).toEqual([]);
    expect(written({}, missed)).toEqual([]);
  });

  it("takes the answer from a revoked one, responsive or not, and from no other", () => {
    const parts = { state, children: [approved, managedOf(heard)] };
    const kinds = (more: MemberParts, status: ClusterStatus) =>
      written({ ...parts, ...more }, status).map(({ ref }) => ref.type.kind);
    expect(kinds({ annotations: revoked }, {})).toEqual(["ClusterRegistrationRequest"]);
    expect(kinds({ annotations: revoked }, missed)).toEqual(["ClusterRegistrationRequest", "ManagedCluster"]);
    expect(kinds({}, missed)).toEqual(["ManagedCluster"]);
  });
});

describe("isOnlyHeartbeat: a Clusternet agent", () => {
  const at = (second: number, more: object = {}) =>
    managedOf({ lastObservedTime: `t${second}`, ...more }, { generation: 1 });
  it("is so only while the times alone change", () => {
    const conditions = (lastTransitionTime: string, status = "True") => ({
      conditions: [{ status, lastTransitionTime }],
    });
    expect(isOnlyClusternetHeartbeat(at(1, conditions("a")), at(2, conditions("b")))).toBe(true);
    expect(isOnlyClusternetHeartbeat(at(1, conditions("a")), at(2, conditions("b", "False")))).toBe(false);
    expect(isOnlyClusternetHeartbeat(at(1), managedOf({ lastObservedTime: "t2" }, { generation: 2 }))).toBe(false);
    expect(isOnlyClusternetHeartbeat(undefined, at(1))).toBe(false);
    expect(isOnlyClusternetHeartbeat(at(1), undefined)).toBe(false);
    expect(isOnlyClusternetHeartbeat(at(1), managedOf({}, { generation: 1 }))).toBe(false);
  });
});
