import { describe, expect, it } from "vitest";
import { bundleStateOf, memberFacts, memberStatusWrites } from "../../../../src/join/fleet/hub/facts.ts";
import { renderFleetCluster } from "../../../../src/join/fleet/hub/fleet-cluster.ts";
import { clusterNamespaceName } from "../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { workspace } from "../hub-scene.ts";
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
      conditions: isFailed ? [{ type: "Deployed", status: "False" }] : [],
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
    [{ applied: "a:1", nonModified: true }, "NotReady", "nobody says that it runs"],
    [{ ...good, staged: "a:2" }, "OutOfSync", "the next one is held back"],
    [{ ...good, nonModified: false }, "Modified", "somebody changed it"],
    [{ ...good, ready: false, nonModified: false, staged: "a:2" }, "NotReady", "what does not run counts first"],
  ])("%j: %s (%s)", (standing, expected, _reason) => {
    expect(bundleStateOf(deploymentOf("app", standing))).toBe(expected);
  });
});

describe("statusWrites: Fleet's Cluster", () => {
  const beating = { agent: { lastSeen: "2026-01-01T00:00:00Z", namespace: "cattle-fleet-system" } };
  const fleetCluster = (status?: object): KubeObject => ({
    ...renderFleetCluster(fleetMemberOf("eu-1")),
    ...(status === undefined ? {} : { status }),
  });
  const displayOf = (...children: readonly KubeObject[]): unknown =>
    memberStatusWrites(fleetMemberOf("eu-1", { children })).find(({ ref }) => ref.type.kind === "Cluster")?.status[
      "display"
    ];

  it("has a status before the first beat, or the agent could not patch it", () => {
    expect(displayOf(fleetCluster())).toEqual({ readyBundles: "0/0", state: "WaitCheckIn" });
    expect(memberStatusWrites(fleetMemberOf("eu-1"))).toEqual([]);
  });

  it.each<[readonly Standing[], string, string]>([
    [[], "0/0", "Ready"],
    [[good, good], "2/2", "Ready"],
    [[good, {}], "1/2", "WaitApplied"],
    [[{ ...good, nonModified: false }, {}, { ...good, ready: false }], "0/3", "WaitApplied"],
    [[{ applied: "a:0", isFailed: true }, {}], "0/2", "ErrApplied"],
  ])("shows how many are ready, and the worst: %j", (standings, readyBundles, state) => {
    const deployments = standings.map((standing, index) => deploymentOf(`app-${index}`, standing));
    expect(displayOf(fleetCluster(beating), ...deployments)).toEqual({ readyBundles, state });
  });

  it("counts only what is in the cluster's own namespace", () => {
    const elsewhere = { ...deploymentOf("app", {}), metadata: { name: "app", namespace: "somebody-else" } };
    expect(displayOf(fleetCluster(beating), elsewhere)).toEqual({ readyBundles: "0/0", state: "Ready" });
  });

  it("tells it of its agent, and shows no namespace that can be none", () => {
    const memory = grantedMemory();
    const factsWith = (namespace: string) =>
      memberFacts(
        fleetMemberOf("eu-1", { memory, children: [fleetCluster({ agent: { ...beating.agent, namespace } })] }),
      );
    expect(factsWith("edge").status.agent).toEqual({ namespace: "edge" });
    expect(factsWith("<b>").status.agent).toEqual({ namespace: "cattle-fleet-system" });
    expect(factsWith("edge").health).toEqual({ isHealthy: true, reason: "AgentBeats", message: "The agent beats." });
  });
});
