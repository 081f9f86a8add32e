import { beforeAll, describe, expect, it } from "vitest";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import { letInByFleet } from "../../support/fleet-controllers.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, fleetBundleDeployment, fleetCluster, fleetRegistration, serviceAccount } = resourceTypes;
const manager = { fieldManager: "fleetcontroller" };

/** Clusters that Fleet's own controllers served until now: their agents continue with what those gave them. */
export function describeHandedOver(opened: () => FleetHubSession): void {
  describe("a cluster that Fleet's own controllers admitted", () => {
    let agent: FleetAgentClient;
    let home: string;
    const create = (object: KubeObject): Promise<KubeObject> => opened().api.create(object, manager);

    beforeAll(async () => {
      const { workspace } = opened();
      home = clusterNamespaceName(workspace, "old-1");
      await opened().declareToken("stranger");
      const { apiServerURL: url, apiServerCA: caBundle } = await opened().bootstrapOf("stranger");
      agent = await letInByFleet({ ...opened(), endpoint: { url, caBundle } }, "old-1", "old-id");
      const spec = { deploymentID: "s-1:2", stagedDeploymentID: "s-1:2" };
      const metadata = { name: "app", namespace: home, finalizers: ["fleet.cattle.io/bundle-deployment-finalizer"] };
      await create({ apiVersion: "fleet.cattle.io/v1alpha1", kind: "BundleDeployment", metadata, spec });
    });

    it("is taken over by a file that adopts it, while its agent works on", async () => {
      const before = await opened().get(fleetRegistration, "request-old");
      await opened().declareCluster("old-1", { protocol: "fleet" }, { env: "prod" }, { "rollcall.dev/adopt": "true" });
      const joined = await opened().eventually("it has joined", async () => {
        const seen = await opened().get(cluster, "old-1");
        return conditionOf(seen, "Joined") === "True" ? seen : undefined;
      });
      expect(JSON.stringify(joined["status"])).toContain("IssuedByFleet");
      expect((await agent.heartbeat()).status).toBe(200);
      expect((await agent.listDeployments()).status).toBe(200);
      await opened().eventually(
        "it is Ready",
        async () => conditionOf(await opened().get(cluster, "old-1"), "Ready") === "True",
      );
      expect((await opened().get(fleetCluster, "old-1"))?.metadata.labels).toMatchObject({ env: "prod", kept: "yes" });
      expect((await opened().get(fleetRegistration, "request-old"))?.metadata.uid).toBe(before?.metadata.uid);
      expect(await opened().get(serviceAccount, "request-old-account", home)).toBeDefined();
    });

    it("A1: keeps out an agent that claims its clientID without a token that names it", async () => {
      const impostor = new FleetAgentClient(await opened().bootstrapOf("stranger"), { clientID: "old-id" });
      expect(await impostor.register({}, { waitMs: 1000 })).toBe(false);
      expect((await agent.heartbeat()).status).toBe(200);
    });

    it("is admitted again by a token that names it, which ends what Fleet gave", async () => {
      await opened().declareToken("old-door", { clusterNames: ["old-1"] });
      const again = new FleetAgentClient(await opened().bootstrapOf("old-door"), { clientID: "old-id" });
      expect(await again.register()).toBe(true);
      expect(again.credential).toMatchObject({ clusterName: "old-1", deploymentNamespace: home });
      await opened().eventually("the former is refused", async () => (await agent.heartbeat()).status === 401);
      expect((await again.heartbeat()).status).toBe(200);
      agent = again;
    });

    it("leaves without a notice to its agent: what that deployed stays", async () => {
      const target = { type: cluster, namespace: opened().workspace, name: "old-1" };
      const leave = { metadata: { annotations: { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") } } };
      await opened().api.mergePatch(target, leave, manager);
      await opened().eventually("the agent is refused", async () => (await agent.listDeployments()).status === 401);
      const seen = await opened().get(fleetBundleDeployment, "app", home);
      expect(seen).toBeDefined();
      expect(seen?.metadata.deletionTimestamp).toBeUndefined();
      opened().shiftHubTime(12 * 60_000);
      await opened().eventually("it is gone", async () => (await opened().get(cluster, "old-1")) === undefined);
      await opened().eventually(
        "Fleet's Cluster too",
        async () => (await opened().get(fleetCluster, "old-1")) === undefined,
      );
    });
  });
}
