import { describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { createdClusterName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, clusterRegistrationToken, fleetCluster, fleetRegistration, secret } = resourceTypes;

/** Agents that become unresponsive, and agents that ask in vain; `door` is a token that admits any agent. */
export function describeAgentsInTrouble(opened: () => FleetHubSession): void {
  describe("an agent that becomes unresponsive", () => {
    it("makes its cluster's health Unknown after three periods, which Fleet itself does not notice", async () => {
      await opened().declareCluster("quiet", {
        protocol: "fleet",
        clientID: "quiet",
        heartbeat: { periodSeconds: 1 },
      });
      await opened().eventually("it is served", () => opened().get(fleetCluster, "quiet"));
      const agent = new FleetAgentClient(await opened().bootstrapOf("door"), { clientID: "quiet" });
      expect(await agent.register()).toBe(true);
      const health = async () => conditionOf(await opened().get(cluster, "quiet"), "Healthy");
      expect((await agent.heartbeat(new Date("2026-01-01T00:00:00Z"))).status).toBe(200);
      await opened().eventually("it is healthy", async () => (await health()) === "True");
      await opened().eventually("it is unresponsive", async () => (await health()) === "Unknown");
      expect(conditionOf(await opened().get(cluster, "quiet"), "Ready")).toBe("False");
      expect((await agent.heartbeat(new Date("2026-01-01T00:00:10Z"))).status).toBe(200);
      await opened().eventually("it is healthy again", async () => (await health()) === "True");
    });
  });

  describe("an agent that names the namespace of another cluster as its own", () => {
    it("A162 is refused: what is written for its cluster does not go to the other one", async () => {
      await opened().declareCluster("sly", { protocol: "fleet", clientID: "sly" });
      await opened().eventually("it is served", () => opened().get(fleetCluster, "sly"));
      const agent = new FleetAgentClient(await opened().bootstrapOf("door"), { clientID: "sly" });
      expect(await agent.register()).toBe(true);
      expect((await agent.heartbeat()).status).toBe(200);
      const own = textAt(await opened().get(fleetCluster, "sly"), "status", "namespace");
      expect(own).toMatch(/^cluster-/u);
      for (const op of ["replace", "remove"] as const)
        await opened().eventually(`the policy is heeded for ${op}`, async () => {
          const { status } = await agent.report([{ op, path: "/status/namespace", value: "cluster-of-another" }]);
          return [403, 422].includes(status);
        });
      expect(textAt(await opened().get(fleetCluster, "sly"), "status", "namespace")).toBe(own);
      expect((await agent.heartbeat()).status).toBe(200);
    });
  });

  describe("an agent that asks again and again", () => {
    it("leaves one request on the hub although it is not admitted: they do not pile up", async () => {
      await opened().declareToken("narrow", { clusterNames: ["nobody-*"] });
      const refused = new FleetAgentClient(await opened().bootstrapOf("narrow"), { clientID: "in-vain" });
      for (let asked = 0; asked < 20; asked++) expect((await refused.ask()).status).toBe(201);
      await opened().eventually("one is left", async () => {
        const { items } = await opened().api.list(fleetRegistration, { namespace: opened().workspace });
        return items.filter((item) => textAt(item, "spec", "clientID") === "in-vain").length === 1;
      });
      expect(await opened().get(cluster, createdClusterName("in-vain"))).toBeUndefined();
      // An agent that names no token may do what every open one allows.
      await opened().api.delete({ type: clusterRegistrationToken, namespace: opened().workspace, name: "narrow" });
      await opened().eventually("it is gone", async () => (await opened().get(secret, "narrow")) === undefined);
    });

    it("A174 cannot have a request of a megabyte kept", async () => {
      const { tokenName, token, clusterNamespace } = await opened().bootstrapOf("door");
      const agent = new FleetAgentClient(await opened().bootstrapOf("door"), { clientID: "large" });
      const entries = (count: number, value = "") =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index.toString(36)}`, value]));
      const path = `/apis/fleet.cattle.io/v1alpha1/namespaces/${clusterNamespace}/clusterregistrations`;
      const own = { "fleet.cattle.io/registration-token": tokenName };
      const ask = (metadata: object) =>
        agent.call("POST", path, {
          token,
          body: {
            apiVersion: "fleet.cattle.io/v1alpha1",
            kind: "ClusterRegistration",
            metadata: { generateName: "large-", namespace: clusterNamespace, labels: own, ...metadata },
            spec: { clientID: "large", clientRandom: "x".repeat(32) },
          },
        });
      const annotations = { long: "x".repeat(200_000) };
      for (const metadata of [
        { labels: { ...entries(9000), ...own } },
        { annotations: entries(100, "v") },
        { annotations },
      ])
        expect([403, 422], Object.keys(metadata).join()).toContain((await ask(metadata)).status);
      expect((await ask({ annotations: entries(10, "v") })).status).toBe(201);
    });
  });
}
