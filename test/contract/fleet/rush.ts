import { describe, expect, it } from "vitest";
import { isTrueAt } from "../../../src/core/read-json.ts";
import { createdClusterName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, fleetRegistration } = resourceTypes;

/** Many of Fleet's agents at the same moment. */
export function describeFleetRush(opened: () => FleetHubSession): void {
  describe("20 agents at once", () => {
    it("are admitted with 16 calls of the hub each, all of them writes", async () => {
      const count = 20;
      const session = opened();
      await session.declareToken("many", { clusterLabels: { site: "many" } });
      const bootstrap = await session.bootstrapOf("many");
      const before = new Map(session.hubCalls);
      const agents = Array.from(
        { length: count },
        (_, index) => new FleetAgentClient(bootstrap, { clientID: `many-${index}` }),
      );
      const isIn = await Promise.all(agents.map((agent) => agent.register({ env: "dev" })));
      expect(isIn).not.toContain(false);
      for (let index = 0; index < count; index++) {
        const name = createdClusterName(`many-${index}`);
        const seen = await session.eventually(`${name} is joined`, async () => {
          const object = await session.get(cluster, name);
          return conditionOf(object, "Joined") === "True" ? object : undefined;
        });
        expect(seen.metadata.labels).toMatchObject({ env: "dev", site: "many" });
      }
      const { items } = await session.api.list(fleetRegistration, { namespace: session.workspace });
      const asked = items.filter(({ metadata }) => metadata.labels?.["fleet.cattle.io/registration-token"] === "many");
      expect(asked.map((registration) => isTrueAt(registration, "status", "granted"))).toEqual(
        Array.from({ length: count }, () => true),
      );
      const { "apply ClusterRegistrationToken/status": uses = 0, ...once } = perAgent(session.hubCalls, before, count);
      expect(once).toEqual({
        // What the hub remembers, and the Cluster with all its labels; Fleet's Cluster.
        "create ConfigMap": 1,
        "apply Cluster": 2,
        "apply Namespace": 1,
        "apply ServiceAccount": 1,
        // That of the account, and the answer.
        "apply Secret": 2,
        // To heartbeat; to read the answer.
        "apply Role": 2,
        // The same, and for what it is to deploy.
        "apply RoleBinding": 3,
        "apply ClusterRoleBinding": 1,
        "apply Cluster/status": 2,
        "apply ClusterRegistration/status": 1,
      });
      expect(uses).toBeLessThanOrEqual(1);
    });
  });
}

/** Calls of each verb and kind that were made since, for one agent. */
function perAgent(
  after: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
  agents: number,
): Record<string, number> {
  const made = [...after].map(([call, count]) => [call, (count - (before.get(call) ?? 0)) / agents] as const);
  return Object.fromEntries(made.filter(([, each]) => each > 0));
}
