import { beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

const { cluster, clusterRegistrationToken, managedCluster, namespace, registrationRequest, serviceAccount } =
  resourceTypes;
const group = "/apis/clusters.clusternet.io/v1beta1";

/** One agent from its first request to the offboarding of its cluster. */
export function describeAgentLife(given: () => ClusternetHubSession): void {
  describe("an agent that a token admits", () => {
    let session: ClusternetHubSession;
    let agent: ClusternetAgentClient;
    let home = "";
    const ref = () => ({ type: cluster, namespace: session.workspace, name: "eu-1" });
    const isReady = async (status = "True") => {
      const seen = await session.get(cluster, "eu-1");
      return conditionOf(seen, "Ready") === status ? seen : undefined;
    };
    const managed = () => session.get(managedCluster, "eu-1", home);
    const taints = async () => objectsAt(await managed(), "spec", "taints");
    beforeAll(async () => {
      session = given();
      home = session.homeOf("eu-1");
      agent = await session.agentOf("door", "eu-1", { labels: { env: "dev" }, syncMode: "Dual" });
    });

    it("is approved, with a namespace, a ManagedCluster and a credential of its own", async () => {
      await session.join(agent);
      expect(agent.answer?.namespace).toBe(home);
      const seen = await managed();
      expect(seen?.["spec"]).toMatchObject({ clusterType: "StandardCluster", syncMode: "Dual" });
      expect(seen?.metadata.labels).toMatchObject({
        env: "dev",
        tier: "edge",
        "clusternet.io/created-by": "clusternet-agent",
        "clusters.clusternet.io/cluster-name": "eu-1",
      });
      expect((await session.get(registrationRequest, agent.requestName))?.["status"]).toMatchObject({
        result: "Approved",
        dedicatedNamespace: home,
        managedClusterName: "eu-1",
      });
    });

    it("becomes Ready with its first report, and its status shows what it reports", async () => {
      expect((await agent.heartbeat()).status).toBe(200);
      const ready = await session.eventually("eu-1 is ready", () => isReady());
      expect(ready["status"]).toMatchObject({
        kubernetesVersion: "v1.34.4",
        platform: "linux/amd64",
        agent: { version: "v0.18.0", namespace: "clusternet-system" },
        nodes: { total: 3, ready: 2, notReady: 1 },
        health: { livez: true, readyz: true },
        apiServer: { url: "https://10.0.0.1:6443" },
        resources: { capacity: { cpu: "8", memory: "16Gi" } },
        join: { token: "door", mode: "AgentInitiated" },
        effective: { protocol: "clusternet", heartbeatPeriodSeconds: 180 },
      });
      expect(conditionOf(ready, "CredentialsValid")).toBe("True");
      expect(ready.metadata.labels).toMatchObject({ env: "dev", tier: "edge" });
    });

    it("makes the same calls as to Clusternet's own hub, none of them refused but early reads of its request", () => {
      const kinds = agent.calls.map(({ call, status }) => `${call.replace(agent.requestName, "NAME")} ${status}`);
      const looked = `GET ${group}/clusterregistrationrequests/NAME`;
      const early = [`${looked} 403`, `${looked} 404`];
      expect([...new Set(kinds)].filter((call) => !early.includes(call)).map((call) => call.split("?")[0])).toEqual([
        `POST ${group}/clusterregistrationrequests 201`,
        `${looked} 200`,
        `GET ${group}/namespaces/${home}/managedclusters`,
        `PUT ${group}/namespaces/${home}/managedclusters/eu-1/status 200`,
      ]);
    });

    it("is not ready when its agent reports an unhealthy API server", async () => {
      await agent.heartbeat({ isWell: false });
      const seen = await session.eventually("eu-1 is not ready", () => isReady("False"));
      const healthy = objectsAt(seen, "status", "conditions").find(({ type }) => type === "Healthy");
      expect(healthy).toMatchObject({ status: "False", reason: "ApiServerNotReady" });
      await session.eventually("Clusternet's scheduler is kept off", async () => (await taints()).length > 0);
      expect(await taints()).toEqual([
        { key: "clusters.clusternet.io/unschedulable", value: "ManagedClusterNotReady", effect: "NoSchedule" },
      ]);
      await agent.heartbeat();
      await session.eventually("eu-1 is ready", () => isReady());
      await session.eventually("workloads may come again", async () => (await taints()).length === 0);
    });

    it("keeps labels of its nodes, which the hub neither sets nor takes away", async () => {
      await agent.heartbeat({ nodeLabels: { "node.clusternet.io/zone": "a" } });
      const labels = { team: "a", "node.clusternet.io/owner": "us" };
      await session.api.mergePatch(ref(), { metadata: { labels } }, { fieldManager: "rollcall-git" });
      await session.eventually("the label is there", async () => (await managed())?.metadata.labels?.["team"] === "a");
      expect((await managed())?.metadata.labels).toMatchObject({ "node.clusternet.io/zone": "a" });
      expect((await managed())?.metadata.labels).not.toHaveProperty(["node.clusternet.io/owner"]);
      await session.eventually("it is shown", async () => {
        const seen = await session.get(cluster, "eu-1");
        return textAt(seen, "status", "properties", "node.clusternet.io/zone") === "a";
      });
      expect((await agent.heartbeat({ nodeLabels: {} })).status).toBe(200);
      expect((await managed())?.metadata.labels).not.toHaveProperty(["node.clusternet.io/zone"]);
      expect((await managed())?.metadata.labels).toMatchObject({ env: "dev", team: "a" });
    });

    it("has another taint when its file declares one", async () => {
      const wanted = [{ key: "example.com/new", value: "yes", effect: "NoSchedule" }];
      await session.api.mergePatch(ref(), { spec: { taints: wanted } }, { fieldManager: "rollcall-git" });
      await session.eventually("it is there", async () => (await taints()).length > 0);
      expect(await taints()).toEqual(wanted);
      expect((await agent.heartbeat()).status).toBe(200);
    });

    it("continues after a restart of the hub", async () => {
      await session.restartHub();
      expect((await agent.heartbeat()).status).toBe(200);
      expect(await isReady()).toBeDefined();
    });

    it("starts again without a new registration, also when its token has ended", async () => {
      const before = await session.get(registrationRequest, agent.requestName);
      await session.api.delete({ type: clusterRegistrationToken, namespace: session.workspace, name: "door" });
      await session.eventually("the token's credential ends", async () => (await agent.look("x.y")) === false);
      await session.eventually("the token's credential ends", async () =>
        [401, 403].includes((await agent.ask()).status),
      );
      expect(await agent.restart()).toBe(true);
      expect((await agent.heartbeat()).status).toBe(200);
      expect((await session.get(registrationRequest, agent.requestName))?.metadata.uid).toBe(before?.metadata.uid);
    });

    it("gets the same answer again when its request is deleted manually", async () => {
      const held = agent.answer?.token;
      await session.api.delete({ type: registrationRequest, name: agent.requestName });
      expect((await agent.ask(held)).status).toBe(201);
      await session.eventually("it is approved", () => agent.look(held));
      expect(agent.answer?.token).toBe(held);
      expect((await agent.heartbeat()).status).toBe(200);
    });

    it("A8: loses its credential when its cluster is revoked, and its request holds none any more", async () => {
      const annotations = { "rollcall.dev/revoked": "-/somebody/2030-01-01T00:00:00Z" };
      await session.api.mergePatch(ref(), { metadata: { annotations } }, { fieldManager: "test" });
      await session.eventually("it is refused", async () => [401, 403].includes((await agent.heartbeat()).status));
      const status = await session.eventually("the request says so", async () => {
        const seen = await session.get(registrationRequest, agent.requestName);
        return textAt(seen, "status", "result") === "Denied" ? seen?.["status"] : undefined;
      });
      expect(status).toEqual({
        result: "Denied",
        errorMessage: "cluster eu-1 was revoked; change its file to let it in again",
      });
      await session.eventually(
        "the cluster says so",
        async () => conditionOf(await session.get(cluster, "eu-1"), "CredentialsValid") === "False",
      );
    });

    it("comes back by a token that names it, once it is trusted again", async () => {
      session.shiftHubTime(120_000);
      await session.declareToken("again", { clusterNames: ["eu-1"] });
      const annotations = { "rollcall.dev/revoked": null };
      await session.api.mergePatch(ref(), { metadata: { annotations } }, { fieldManager: "test" });
      const clusterId = agent.requestName.slice("clusternet-".length);
      agent = await session.agentOf("again", "eu-1", { clusterId });
      await session.api.delete({ type: registrationRequest, name: agent.requestName });
      await session.join(agent);
      expect((await agent.heartbeat()).status).toBe(200);
    });

    it("leaves nothing on the hub when its cluster leaves", async () => {
      const account = { type: serviceAccount, namespace: session.workspace };
      const annotations = { "rollcall.dev/leave": "c".repeat(40) };
      await session.api.mergePatch(ref(), { metadata: { annotations } }, { fieldManager: "test" });
      await session.eventually("it is gone", async () => (await session.get(cluster, "eu-1")) === undefined);
      await session.eventually(
        "its namespace is deleted",
        async () => (await session.get(namespace, home)) === undefined,
      );
      expect(await session.get(registrationRequest, agent.requestName)).toBeUndefined();
      const accounts = await session.api.list(serviceAccount, { namespace: account.namespace });
      const own = `clusternet-agent.${agent.requestName.slice("clusternet-".length)}`;
      expect(accounts.items.map(({ metadata }) => metadata.name)).not.toContain(own);
      await session.eventually("it is refused", async () => [401, 403].includes((await agent.heartbeat()).status));
    });
  });
}
