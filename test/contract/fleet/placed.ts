import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, fleetBundleDeployment } = resourceTypes;
const manager = { fieldManager: "test" };

/** Clusters whose files declare placedResources: Remove. */
export function describePlacedRemoval(opened: () => FleetHubSession): void {
  describe("a cluster that leaves with placedResources: Remove", () => {
    let home = "";
    let agent: FleetAgentClient;
    beforeAll(async () => {
      const session = opened();
      const { workspace, api } = session;
      home = clusterNamespaceName(workspace, "placed-1");
      await session.declareCluster("placed-1", { protocol: "fleet", clientID: "placed-id", placedResources: "Remove" });
      await session.declareToken("placed", { clusterNames: ["placed-1"] });
      agent = new FleetAgentClient(await session.bootstrapOf("placed"), { clientID: "placed-id" });
      expect(await agent.register()).toBe(true);
      await agent.heartbeat();
      const metadata = { name: "app", namespace: home, finalizers: ["fleet.cattle.io/bundle-deployment-finalizer"] };
      const spec = { deploymentID: "s-1:2", stagedDeploymentID: "s-1:2" };
      await api.create({ apiVersion: "fleet.cattle.io/v1alpha1", kind: "BundleDeployment", metadata, spec }, manager);
      const counted = async () => JSON.stringify(await session.get(cluster, "placed-1")).includes("of 1 bundles");
      await session.eventually("it is counted", counted);
    });
    afterEach(() => opened().shiftHubTime(0));

    it("deletes its BundleDeployments while its agent may still see that", async () => {
      const session = opened();
      const { workspace, api } = session;
      const annotations = { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") };
      const ref = { type: cluster, namespace: workspace, name: "placed-1" };
      await api.mergePatch(ref, { metadata: { annotations } }, manager);
      await session.eventually(
        "it is deleted",
        async () => (await session.get(fleetBundleDeployment, "app", home)) === undefined,
      );
      expect((await agent.listDeployments()).status).toBe(200);
    });

    it("continues after the next heartbeat of its agent, without the wait for open watches", async () => {
      opened().shiftHubTime(60_000);
      expect((await agent.heartbeat(new Date(Date.now() + 60_000))).status).toBe(200);
      await opened().eventually("it is gone", async () => (await opened().get(cluster, "placed-1")) === undefined);
      expect(opened().noted.some(({ reason }) => reason === "PlacedLeftBehind")).toBe(false);
    });
  });
}
