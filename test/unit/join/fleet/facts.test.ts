import { describe, expect, it } from "vitest";
import { bundleStateOf } from "../../../../src/join/fleet/hub/bundle-states.ts";
import { isOnlyFleetHeartbeat, memberFacts, memberStatusWrites } from "../../../../src/join/fleet/hub/facts.ts";
import { objectsAt } from "../../../../src/core/read-json.ts";
import { renderFleetCluster } from "../../../../src/join/fleet/hub/fleet-cluster.ts";
import { clusterNamespaceName } from "../../../../src/model/dialects/fleet.ts";
import type { ClusterStatus } from "../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, startMs, workspace } from "../hub-scene.ts";
import { fleetMemberOf, grantedMemory } from "./fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");

interface Standing {
  readonly deployed?: string;
  readonly staged?: string;
  readonly applied?: string;
  readonly ready?: boolean;
  readonly nonModified?: boolean;
  readonly isFailed?: boolean;
}

function deploymentOf(name: string, standing: Standing): KubeObject {
  const { deployed = "a:1", staged = deployed, applied, ready, nonModified, isFailed = false } = standing;
  return {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "BundleDeployment",
    metadata: { name, namespace: home },
    spec: { deploymentID: deployed, stagedDeploymentID: staged },
    status: {
      ...(applied === undefined ? {} : { appliedDeploymentID: applied }),
      ...(ready === undefined ? {} : { ready }),
      ...(nonModified === undefined ? {} : { nonModified }),
      conditions: isFailed
        ? [{ type: "Deployed", status: "False", reason: "Error", message: "no such chart" }]
        : ready === true
          ? [{ type: "Monitored", status: "True" }]
          : [],
    },
  };
}

const good: Standing = { applied: "a:1", ready: true, nonModified: true };

describe("bundleStateOf", () => {
  it.each<[Standing, string, string]>([
    [good, "Ready", "all is as it should be"],
    [{}, "WaitApplied", "nothing was applied yet"],
    [{ ...good, applied: "a:0" }, "WaitApplied", "another was applied"],
    [{ ...good, applied: "a:0", isFailed: true }, "ErrApplied", "applying it failed"],
    [{ ...good, isFailed: true }, "Ready", "a failure of the past"],
    [{ ...good, ready: false }, "NotReady", "something does not run"],
    [{ applied: "a:1", nonModified: true }, "NotReady", "no report that it runs"],
    [{ ...good, staged: "a:2" }, "OutOfSync", "the next one is held back"],
    [{ ...good, nonModified: false }, "Modified", "somebody changed it"],
    [{ ...good, ready: false, nonModified: false, staged: "a:2" }, "NotReady", "what does not run counts first"],
  ])("%j: %s (%s)", (standing, expected, _reason) => {
    expect(bundleStateOf(deploymentOf("app", standing))).toBe(expected);
  });
});

const time = "2027-01-15T08:00:00Z";
/** Cluster.status of a member whose agent has joined and is healthy, or that misses its heartbeats. */
function statusOf(healthyReason = "AgentBeats", joinedStatus: "True" | "False" = "True"): ClusterStatus {
  const at = { lastTransitionTime: time };
  return {
    conditions: [
      { type: "Joined", status: joinedStatus, reason: "x", message: "No agent has joined as eu-1 yet.", ...at },
      {
        type: "Healthy",
        status: "Unknown",
        reason: healthyReason,
        message: "The agent has missed 3 heartbeats.",
        ...at,
      },
    ],
  };
}
const joined = statusOf();

describe("statusWrites: Fleet's Cluster", () => {
  const beating = { agent: { lastSeen: "2026-01-01T00:00:00Z", namespace: "cattle-fleet-system" } };
  const fleetCluster = (status?: object): KubeObject => ({
    ...renderFleetCluster(fleetMemberOf("eu-1")),
    ...(status === undefined ? {} : { status }),
  });
  const displayOf = (...children: readonly KubeObject[]): unknown =>
    memberStatusWrites(fleetMemberOf("eu-1", { children }), hubFacts(), joined).find(
      ({ ref }) => ref.type.kind === "Cluster",
    )?.status["display"];

  it("has a status before the first heartbeat, or the agent could not patch it", () => {
    expect(displayOf(fleetCluster())).toEqual({ readyBundles: "0/0", state: "WaitCheckIn" });
    expect(memberStatusWrites(fleetMemberOf("eu-1"), hubFacts(), joined)).toEqual([]);
  });

  it.each<[readonly Standing[], string, string | undefined]>([
    [[], "0/0", undefined],
    [[good, good], "2/2", undefined],
    [[good, {}], "1/2", "WaitApplied"],
    [[{ ...good, nonModified: false }, {}, { ...good, ready: false }], "0/3", "WaitApplied"],
    [[{ applied: "a:0", isFailed: true }, {}], "0/2", "ErrApplied"],
  ])("shows how many are ready, and the worst: %j", (standings, readyBundles, state) => {
    const deployments = standings.map((standing, index) => deploymentOf(`app-${index}`, standing));
    expect(displayOf(fleetCluster(beating), ...deployments)).toEqual({ readyBundles, state });
  });

  const statusWith = (status: ClusterStatus, ...children: readonly KubeObject[]) =>
    memberStatusWrites(fleetMemberOf("eu-1", { children }), hubFacts(), status).find(
      ({ ref }) => ref.type.kind === "Cluster",
    )?.status;
  const conditionsWith = (status: ClusterStatus, ...children: readonly KubeObject[]) =>
    objectsAt(statusWith(status, ...children), "conditions").map(({ type, status: is, message }) => [
      type,
      is,
      message,
    ]);

  it("has the conditions of Fleet's controllers, all True when nothing is wrong", () => {
    expect(conditionsWith(joined, fleetCluster(beating), deploymentOf("app", good))).toEqual([
      ["Ready", "True", undefined],
      ["Imported", "True", undefined],
      ["Reconciled", "True", undefined],
      ["Processed", "True", undefined],
    ]);
  });

  it.each<[string, ClusterStatus, Standing, string]>([
    ["a failing bundle", joined, { applied: "a:0", isFailed: true }, "ErrApplied(1) [Bundle app: no such chart]"],
    ["a bundle that waits", joined, {}, "WaitApplied(1) [Bundle app]"],
    ["an agent that has not joined", statusOf("NotJoined", "False"), good, "No agent has joined as eu-1 yet."],
    ["missed heartbeats", statusOf("HeartbeatMissed"), good, "The agent has missed 3 heartbeats."],
    [
      "both",
      statusOf("HeartbeatMissed"),
      { ...good, nonModified: false },
      "The agent has missed 3 heartbeats.; Modified(1) [Bundle app]",
    ],
  ])("names in Ready, which is the column STATUS, %s", (_reason, status, standing, message) => {
    expect(conditionsWith(status, fleetCluster(beating), deploymentOf("app", standing))[0]).toEqual([
      "Ready",
      "False",
      message,
    ]);
  });

  it("moves no time while nothing changes", () => {
    const first = statusWith(joined, fleetCluster(beating)) ?? {};
    const again = memberStatusWrites(
      fleetMemberOf("eu-1", { children: [fleetCluster({ ...beating, ...first })] }),
      hubFacts({ nowMs: startMs + 60_000 }),
      joined,
    );
    expect(again.find(({ ref }) => ref.type.kind === "Cluster")?.status).toEqual(first);
  });

  it("sums up states and resources as Fleet does", () => {
    const counted = (name: string, standing: Standing, resourceCounts: object): KubeObject => {
      const deployment = deploymentOf(name, standing);
      return { ...deployment, status: { ...(deployment["status"] as object), resourceCounts } };
    };
    const status = statusWith(
      joined,
      fleetCluster(beating),
      counted("a", good, { ready: 2, desiredReady: 2 }),
      counted("b", { ...good, ready: false }, { ready: 1, desiredReady: 3, notReady: 2, unknown: -4 }),
    );
    expect(status?.["summary"]).toEqual({
      desiredReady: 2,
      ready: 1,
      notReady: 1,
      nonReadyResources: [{ name: "b", bundleState: "NotReady" }],
    });
    expect(status?.["resourceCounts"]).toMatchObject({ ready: 3, desiredReady: 5, notReady: 2, unknown: 0 });
  });

  it("fills the columns of BundleDeployments", () => {
    const failing = deploymentOf("app", { applied: "a:0", isFailed: true });
    const writes = memberStatusWrites(
      fleetMemberOf("eu-1", { children: [fleetCluster(beating), failing, deploymentOf("fine", good)] }),
      hubFacts(),
      joined,
    );
    const displays = writes.filter(({ ref }) => ref.type.kind === "BundleDeployment").map(({ status }) => status);
    expect(displays).toEqual([
      { display: { deployed: "Error: no such chart", state: "ErrApplied" } },
      { display: { monitored: "True", state: "Ready" } },
    ]);
  });

  it("counts only what is in the cluster's own namespace", () => {
    const elsewhere = { ...deploymentOf("app", {}), metadata: { name: "app", namespace: "somebody-else" } };
    expect(displayOf(fleetCluster(beating), elsewhere)).toEqual({ readyBundles: "0/0" });
  });

  it("reports its agent, and shows no namespace that can be none", () => {
    const state = grantedMemory();
    const factsWith = (namespace: string) =>
      memberFacts(
        fleetMemberOf("eu-1", { state, children: [fleetCluster({ agent: { ...beating.agent, namespace } })] }),
      );
    expect(factsWith("edge").status.agent).toEqual({ namespace: "edge" });
    expect(factsWith("<b>").status.agent).toEqual({ namespace: "cattle-fleet-system" });
    expect(factsWith("edge").health).toEqual({
      isHealthy: true,
      reason: "AgentBeats",
      message: "The agent sends heartbeats.",
    });
  });
});

describe("isOnlyHeartbeat: Fleet's Cluster", () => {
  const seenAt = (lastSeen: string, status: object = {}, metadata: object = {}): KubeObject => ({
    ...renderFleetCluster(fleetMemberOf("eu-1")),
    metadata: { name: "eu-1", namespace: workspace, generation: 1, labels: { site: "a" }, ...metadata },
    status: { namespace: home, agent: { lastSeen, namespace: "cattle-fleet-system" }, ...status },
  });

  it.each<[string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ["with another time", seenAt("a"), seenAt("b"), true],
    ["with the same time", seenAt("a"), seenAt("a"), false],
    ["A162 with another namespace", seenAt("a"), seenAt("b", { namespace: "cluster-of-another" }), false],
    ["A162 with conditions of its own", seenAt("a"), seenAt("b", { conditions: [] }), false],
    ["A162 with other labels", seenAt("a"), seenAt("b", {}, { labels: { site: "b" } }), false],
    ["with another spec", seenAt("a"), seenAt("b", {}, { generation: 2 }), false],
    ["that is new", undefined, seenAt("a"), false],
    ["that was deleted", seenAt("a"), undefined, false],
  ])("%s", (_what, before, after, expected) => {
    expect(isOnlyFleetHeartbeat(before, after)).toBe(expected);
  });
});
