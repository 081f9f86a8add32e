import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { flood, forgedRequest, holderOf, request, strayRequest } from "../../support/flood-hub.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { conditionOf, token, valuesOf } from "./fleet-helpers.ts";
import { openFleetSession } from "./fleet-session.ts";
import type { FleetSession } from "./fleet-session.ts";
import { startSimulatedAgent } from "./simulated-agent.ts";

const { cluster, clusterRegistration, clusterRegistrationToken, event } = resourceTypes;
/** Registrations that are kept of one token, and of all that name none. */
const keptPerToken = 50;

/** A holder of a token's values sends any number of requests, by default 200 of each kind; the same on every hub. */
export function describeFlood(name: string, startHub: () => Promise<HubUnderTest>, requestCount = 200): void {
  describe(`a flood of registrations on ${name}`, () => {
    let session: FleetSession;
    const count = Number(process.env["ROLLCALL_TEST_FLOOD"] ?? requestCount);
    const registrations = async () =>
      (await session.api.list(clusterRegistration, { namespace: session.workspace })).items;
    const clusters = async () => (await session.api.list(cluster, { namespace: session.workspace })).items;
    const callsOf = (line: string) => session.hubCalls.get(line) ?? 0;

    beforeAll(async () => {
      session = await openFleetSession(await startHub());
      for (const door of ["open", "other", "twenty"])
        await session.create(token(session, door, door === "twenty" ? { maxRegistrations: 20 } : {}));
    });
    afterAll(async () => {
      await session.close();
    });

    it("A7: without the proof leaves few objects and few log lines, and others are admitted meanwhile", async () => {
      const [values, other] = [await valuesOf(session, "open"), await valuesOf(session, "other")];
      const api = holderOf(values);
      const names = Array.from({ length: count }, (_, index) => `bad-${index}`);
      const before = callsOf("apply ClusterRegistration/status");
      const flooding = flood(
        api,
        names.flatMap((bad) => [forgedRequest(values, bad), strayRequest(values, bad)]),
      );
      const honest = startSimulatedAgent(other, { name: "honest", clientID: "honest" });
      expect(await honest.result).toBe(true);
      await flooding;
      await session.until(cluster, "honest", (object) => conditionOf(object, "Joined") === "True");
      await until(
        async () => (await registrations()).length,
        (left) => left <= 2 * keptPerToken + 1,
      );
      await session.controllers.whenIdle();
      expect((await clusters()).map(({ metadata }) => metadata.name)).toEqual(["honest"]);
      expect(callsOf("apply ClusterRegistration/status") - before).toBeLessThanOrEqual(2 * count + 2);
      const told = (await session.api.list(event, { namespace: session.workspace })).items;
      // A burst, and a few each second.
      expect(told.length).toBeLessThan(50 + 5 * 120);
      await honest.stop();
      await api.close();
    });

    it("foreign finalizers and owners keep none of them, nor a report or a Lease of an agent's own", async () => {
      const values = await valuesOf(session, "open");
      const api = holderOf(values);
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: "c0ffee", blockOwnerDeletion: false };
      const held = Array.from({ length: 5 }, (_, index) => {
        const asked = forgedRequest(values, `held-${index}`);
        const metadata = { ...asked.metadata, finalizers: ["example.com/mine"], ownerReferences: [owner] };
        return { ...asked, metadata };
      });
      await flood(api, held);
      for (const { metadata } of held) {
        const ref = { type: clusterRegistration, namespace: session.workspace, name: metadata.name };
        await until(
          () => session.api.get(ref),
          (seen) => (seen?.metadata.finalizers ?? []).length + (seen?.metadata.ownerReferences ?? []).length === 0,
        );
      }
      await api.close();

      const guest = startSimulatedAgent(values, { name: "guest", clientID: "guest" });
      await session.until(cluster, "guest", (object) => conditionOf(object, "Joined") === "True");
      await guest.stop();
      const holds = { metadata: { finalizers: ["example.com/mine"] } };
      for (const [type, object] of [
        [resourceTypes.lease, "rollcall-guest"],
        [resourceTypes.clusterReport, "guest"],
      ] as const)
        await session.api.mergePatch({ type, namespace: session.workspace, name: object }, holds, {
          fieldManager: "rollcall-agent",
        });
      await session.api.mergePatch(
        { type: cluster, namespace: session.workspace, name: "guest" },
        { metadata: { annotations: { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") } } },
        { fieldManager: "test" },
      );
      await session.untilDeleted(cluster, "guest");
      await session.untilDeleted(resourceTypes.lease, "rollcall-guest");
      await session.untilDeleted(resourceTypes.clusterReport, "guest");
    });

    it("A7: with the proof admits as many as maxRegistrations allows, and shows the last twenty", async () => {
      const values = await valuesOf(session, "twenty");
      const api = holderOf(values);
      const requests = Array.from({ length: 60 }, (_, index) => request(values, `in-${index}`));
      // When all uses are taken nothing more can be asked: that ends the flood itself.
      await flood(api, requests).catch((error: unknown) => {
        expect(textAt(error, "code")).toBe("E_KUBE_FORBIDDEN");
      });
      const spent = await session.until(clusterRegistrationToken, "twenty", (object) =>
        objectsAt(object, "status", "conditions").some(({ reason }) => reason === "UsedUp"),
      );
      await session.controllers.whenIdle();
      expect(numberAt(spent, "status", "uses")).toBe(20);
      const inside = (await clusters()).filter(({ metadata }) => metadata.name.startsWith("in-"));
      expect(inside).toHaveLength(20);
      const shown = await session.until(
        clusterRegistrationToken,
        "twenty",
        (object) => objectsAt(object, "status", "lastUses").length === 20,
      );
      expect(numberAt(shown, "status", "uses")).toBe(20);
    });
  });
}
