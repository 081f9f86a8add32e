import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { openClusternetHubSession } from "./clusternet-hub-session.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

const { cluster, managedCluster, registrationRequest } = resourceTypes;

/** Clusternet's agents and a hub that serves them; the same on every hub. */
export function describeClusternetAgents(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`Clusternet's agents on ${hubName}`, () => {
    let session: ClusternetHubSession;
    beforeAll(async () => {
      session = await openClusternetHubSession(await startHub());
      await session.declareToken("door", { clusterNames: ["eu-1", "eu-2", "eu-3"], clusterLabels: { tier: "edge" } });
    });
    afterEach(() => session.shiftHubTime(0));
    afterAll(async () => {
      const { items } = await session.api.list(registrationRequest);
      for (const request of items)
        if (textAt(request, "spec", "clusterLabels", "rollcall.dev/workspace") === session.workspace)
          await session.api.delete({ type: registrationRequest, name: request.metadata.name });
      await session.close();
    });

    const isReady = async (name: string, status = "True") => {
      const seen = await session.get(cluster, name);
      return conditionOf(seen, "Ready") === status ? seen : undefined;
    };
    const requestStatus = async (agent: ClusternetAgentClient) =>
      (await session.get(registrationRequest, agent.requestName))?.["status"];

    describe("an agent that a token lets in", () => {
      let agent: ClusternetAgentClient;
      it("is approved, with a namespace, a ManagedCluster and a credential of its own", async () => {
        agent = await session.agentOf("door", "eu-1", { labels: { env: "dev" }, syncMode: "Dual" });
        await session.join(agent);
        const home = session.homeOf("eu-1");
        expect(agent.answer?.namespace).toBe(home);
        const seen = await session.get(managedCluster, "eu-1", home);
        expect(seen?.["spec"]).toMatchObject({ clusterType: "StandardCluster", syncMode: "Dual" });
        expect(seen?.metadata.labels).toMatchObject({
          env: "dev",
          tier: "edge",
          "clusternet.io/created-by": "clusternet-agent",
          "clusters.clusternet.io/cluster-name": "eu-1",
        });
        expect(await requestStatus(agent)).toMatchObject({
          result: "Approved",
          dedicatedNamespace: home,
          managedClusterName: "eu-1",
        });
      });

      it("becomes Ready with its first report, and shows what it says", async () => {
        expect((await agent.beat()).status).toBe(200);
        const ready = await session.eventually("eu-1 is ready", () => isReady("eu-1"));
        expect(ready["status"]).toMatchObject({
          kubernetesVersion: "v1.34.4",
          platform: "linux/amd64",
          agent: { version: "v0.18.0", namespace: "clusternet-system" },
          nodes: { total: 3, ready: 2, notReady: 1 },
          health: { livez: true, readyz: true },
          apiServer: { url: "https://10.0.0.1:6443" },
          join: { token: "door", mode: "AgentInitiated" },
          effective: { protocol: "clusternet", heartbeatPeriodSeconds: 180 },
        });
        expect(ready.metadata.labels).toMatchObject({ env: "dev", tier: "edge" });
      });
    });
  });
}
