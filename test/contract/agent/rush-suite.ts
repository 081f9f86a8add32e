import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, textAt } from "../../../src/core/read-json.ts";
import { readMemberState } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { conditionOf, countsOf, token, valuesOf } from "./fleet-helpers.ts";
import { openFleetSession } from "./fleet-session.ts";
import type { FleetSession } from "./fleet-session.ts";
import { startSimulatedAgent } from "./simulated-agent.ts";
import type { SimulatedAgent } from "./simulated-agent.ts";

const { cluster, clusterReport, clusterRegistration, clusterRegistrationToken, configMap } = resourceTypes;

/** Many agents at the same moment; the same on every hub. */
export function describeRush(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`many agents at once on ${name}`, () => {
    let session: FleetSession;
    const agents: SimulatedAgent[] = [];
    const start = (...options: Parameters<typeof startSimulatedAgent>): SimulatedAgent => {
      const agent = startSimulatedAgent(...options);
      agents.push(agent);
      return agent;
    };
    beforeAll(async () => {
      session = await openFleetSession(await startHub());
    });
    afterAll(async () => {
      await Promise.all(agents.map((agent) => agent.stop()));
      await session.close();
    });

    it("joins each of 20 with few calls of the hub", async () => {
      const count = 20;
      await session.create(token(session, "many", {}));
      const values = await valuesOf(session, "many");
      await session.controllers.whenIdle();
      const before = new Map(session.hubCalls);
      const joining = Array.from({ length: count }, (_, index) =>
        start(values, { name: `many-${index}`, clientID: `many-${index}` }),
      );
      expect(await Promise.all(joining.map(({ result }) => result))).not.toContain(false);
      for (let index = 0; index < count; index++) {
        await session.until(cluster, `many-${index}`, (object) => conditionOf(object, "Joined") === "True");
      }
      await session.controllers.whenIdle();
      const byHub = perAgent(Object.fromEntries(session.hubCalls), before, count);
      const byAgent = perAgent(countsOf(joining.flatMap(({ hubApis }) => hubApis)), new Map(), count);
      expect(sumOf(byAgent), JSON.stringify(byAgent)).toBeLessThanOrEqual(16);
      const { "apply ClusterRegistrationToken/status": uses, "apply Cluster/status": statuses, ...once } = byHub;
      expect(once).toEqual({
        "apply Cluster": 1,
        "create ConfigMap": 1,
        "apply ConfigMap": 1,
        "apply ServiceAccount": 2,
        "apply Secret": 2,
        "apply Role": 2,
        "apply RoleBinding": 2,
        "apply ClusterReport": 1,
        "apply ClusterReport/status": 1,
        "apply Lease": 1,
        "request token": 1,
        "apply ClusterRegistration/status": 1,
      });
      // Joined, that its report is awaited where it is slow, and what it reports.
      expect(statuses).toBeLessThanOrEqual(3);
      expect(uses).toBeLessThanOrEqual(1);
    });

    it("admits exactly as many of 50 as the token allows", async () => {
      await session.create(token(session, "ten", { maxRegistrations: 10 }));
      const values = await valuesOf(session, "ten");
      const asking = Array.from({ length: 50 }, (_, index) =>
        start(values, { name: `ten-${index}`, clientID: `ten-${index}` }),
      );
      const results = await Promise.all(asking.map(({ result }) => result));
      expect(results.filter((isIn) => isIn)).toHaveLength(10);
      const states = (await session.api.list(configMap, { namespace: session.workspace })).items.flatMap(
        (object) => readMemberState(object)?.join ?? [],
      );
      const uses = states.filter((join) => join.token === "ten").map(({ tokenUse }) => tokenUse);
      expect(uses.sort((a = 0, b = 0) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      await session.until(
        clusterRegistrationToken,
        "ten",
        (object) => numberAt(object, "status", "uses") === 10 && conditionOf(object, "Ready") === "False",
      );
      const clusters = (await session.api.list(cluster, { namespace: session.workspace })).items;
      expect(clusters.filter(({ metadata }) => metadata.name.startsWith("ten-"))).toHaveLength(10);
    });

    it("admits one of two with the same clientID, and reports the reason to the other", async () => {
      await session.create(token(session, "twins", {}));
      const values = await valuesOf(session, "twins");
      const twins = ["twin-a", "twin-b"].map((twin) => start(values, { name: twin, clientID: "same" }));
      const results = await Promise.all(twins.map(({ result }) => result));
      expect(results.filter((isIn) => isIn)).toHaveLength(1);
      const loser = twins[results.indexOf(false)];
      expect(loser?.lines.find(({ level }) => level === "error")?.fields["reason"]).toBe("ClientIDTaken");
      const registrations = (await session.api.list(clusterRegistration, { namespace: session.workspace })).items;
      const decisions = registrations
        .filter((object) => textAt(object, "spec", "tokenName") === "twins")
        .map((object) => textAt(object, "status", "decision"));
      expect(decisions.sort()).toEqual(["Granted", "Refused"]);
    });

    it("admits one of ten that request the same name", async () => {
      await session.create(token(session, "name", {}));
      const values = await valuesOf(session, "name");
      const asking = Array.from({ length: 10 }, (_, index) =>
        start(values, { name: "the-name", clientID: `name-${index}` }),
      );
      const results = await Promise.all(asking.map(({ result }) => result));
      expect(results.filter((isIn) => isIn)).toHaveLength(1);
      const winner = results.indexOf(true);
      const report = await session.until(
        clusterReport,
        "the-name",
        (object) => textAt(object, "spec", "time") !== undefined,
      );
      expect(report.metadata.name).toBe("the-name");
      const state = readMemberState(await session.get(configMap, "rollcall-cluster-the-name"));
      expect(state?.clientID).toBe(`name-${winner}`);
    });
  });
}

function perAgent(
  after: Readonly<Record<string, number>>,
  before: ReadonlyMap<string, number>,
  agents: number,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([verb, count]) => [verb, (count - (before.get(verb) ?? 0)) / agents]),
  );
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
