import { describe, expect, it } from "vitest";
import { externalFleetProtocol } from "../../../../src/join/fleet/hub/external-protocol.ts";
import { renderFleetCluster } from "../../../../src/join/fleet/hub/fleet-cluster.ts";
import { fleetProtocol } from "../../../../src/join/fleet/hub/fleet-protocol.ts";
import { clusterOfFleet } from "../../../../src/manifests/convert-fleet.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../hub-scene.ts";
import { fleetMemberOf, fleetTokenOf } from "./fleet-scene.ts";

/** A Fleet user's file with every field that configures the agent. */
const file: KubeObject = {
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: workspace, labels: { env: "prod" } },
  spec: {
    clientID: "really-random",
    kubeConfigSecret: "eu-1-kubeconfig",
    redeployAgentGeneration: 2,
    agentNamespace: "edge-fleet",
    agentEnvVars: [{ name: "A", value: "b" }],
    agentTolerations: [{ key: "edge", operator: "Exists" }],
    agentAffinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    agentResources: { limits: { memory: "1Gi" } },
    agentPullSecrets: [{ name: "registry" }],
    agentSchedulingCustomization: { priorityClass: { value: 5 } },
    hostNetwork: true,
    privateRepoURL: "registry.example.com",
    templateValues: { region: "eu" },
  },
};
const member = { ...fleetMemberOf("eu-1"), cluster: clusterOfFleet(file) };

describe("a Fleet Cluster's file, and Fleet's Cluster on the hub", () => {
  it("declare the same", () => {
    expect(renderFleetCluster(member)).toEqual({
      ...file,
      metadata: {
        ...file.metadata,
        labels: { env: "prod", "fleet.cattle.io/cluster": "eu-1", "rollcall.dev/cluster": "eu-1" },
      },
    });
  });

  it("are the same whichever controllers serve it, so that changing them writes nothing", () => {
    const [external] = externalFleetProtocol.desiredObjects(member);
    const [ours] = fleetProtocol.desiredObjects(member, hubFacts());
    expect(external).toEqual(ours);
  });
});

describe("Fleet's own controllers", () => {
  const beating: KubeObject = {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: workspace },
    status: {
      agent: { lastSeen: "2026-01-01T00:00:00Z", namespace: "cattle-fleet-system" },
      display: { readyBundles: "1/2" },
      conditions: [{ type: "Ready", status: "False", message: "NotReady(1) [Bundle app]" }],
    },
  };

  it("make accounts, rights, namespaces, grants and agents: nothing of that is ours, and nothing of it is removed", () => {
    const hub = hubFacts();
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", namespace: workspace } };
    const subject = { kind: "member", member: { ...member, children: [account, beating] } } as const;
    expect(externalFleetProtocol.desiredObjects(member).map(({ kind }) => kind)).toEqual(["Cluster"]);
    expect(externalFleetProtocol.keptObjects(subject).map(({ name }) => name)).toEqual(["a", "eu-1"]);
    expect(externalFleetProtocol.pendingBootstrap(member, hub)).toBeUndefined();
    expect(externalFleetProtocol.statusWrites(member, hub, {})).toEqual([]);
    const token = fleetTokenOf("edge", { fleet: { ttl: "1h" } });
    expect(externalFleetProtocol.desiredTokenObjects(token, hub)).toMatchObject([{ spec: { ttl: "1h" } }]);
  });

  it("report how an agent is, and that is shown", () => {
    const facts = externalFleetProtocol.factsOf({ ...member, children: [beating] });
    expect(facts).toMatchObject({
      hasJoined: true,
      health: {
        message: "The agent sends heartbeats; Fleet says: 1/2 bundles are ready; NotReady(1) [Bundle app].",
      },
      credentials: { status: "Unknown", reason: "External" },
    });
    expect(externalFleetProtocol.factsOf(member).hasJoined).toBe(false);
  });

  it("clean up after Fleet's Cluster, which is all that a leave removes", () => {
    const state = memberStateObject(workspace, "eu-1", {});
    const [step, ...others] = externalFleetProtocol.offboardingSteps({ ...member, children: [beating, state] });
    expect(others).toEqual([]);
    expect(step).toMatchObject({ kind: "delete", refs: [{ name: "eu-1" }, { name: "rollcall-cluster-eu-1" }] });
  });
});
