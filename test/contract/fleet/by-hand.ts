import { expect, it, describe } from "vitest";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, fleetRegistrationToken, namespace } = resourceTypes;

/** Fleet's own objects that a person makes or deletes on the hub. */
export function describeFleetByHand(opened: () => FleetHubSession): void {
  describe("what a person does with Fleet's objects on the hub", () => {
    it("A62: an agent of a Cluster that no file declares waits, and does not come in as a second one", async () => {
      const { api, workspace } = opened();
      const metadata = { name: "predefined", namespace: workspace };
      const spec = { clientID: "predefined-id" };
      await api.create(
        { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster", metadata, spec },
        { fieldManager: "kubectl" },
      );
      const said = await opened().eventually("an Event says that nothing serves it", () =>
        Promise.resolve(opened().noted.find(({ regarding }) => regarding.metadata.name === "predefined")),
      );
      expect(said).toMatchObject({ type: "Warning", reason: "NotInGit" });
      expect(said.message).toContain("No file of a Repository declares this Cluster, so nothing serves it.");
      await opened().declareToken("for-predefined");
      const given = await opened().bootstrapOf("for-predefined");
      const agent = new FleetAgentClient(given, { clientID: "predefined-id" });
      await agent.register({}, { waitMs: 0 });
      const told = await opened().eventually("an Event says why", () =>
        Promise.resolve(
          opened().noted.find(({ reason, regarding }) => reason === "NotInGit" && regarding.kind !== "Cluster"),
        ),
      );
      expect(told.message).toContain("Fleet's Cluster predefined has this clientID");
      const { items } = await api.list(cluster, { namespace: workspace });
      expect(items.map(({ spec: its }) => JSON.stringify(its)).filter((its) => its.includes("predefined-id"))).toEqual(
        [],
      );
      await api.delete({ type: resourceTypes.fleetCluster, ...metadata });
      await opened().eventually("its request is granted", async () => {
        const clusters = await api.list(cluster, { namespace: workspace });
        return clusters.items.some(({ spec: its }) => JSON.stringify(its).includes("predefined-id"));
      });
    });

    it("a token that no file declares is not served, and an Event reports it", async () => {
      const { api, workspace } = opened();
      const metadata = { name: "typed", namespace: workspace };
      const apiVersion = "fleet.cattle.io/v1alpha1";
      const token = { apiVersion, kind: "ClusterRegistrationToken", metadata, spec: { ttl: "240h" } };
      await api.create(token, { fieldManager: "kubectl-client-side-apply" });
      const told = await opened().eventually("an Event says so", () =>
        Promise.resolve(opened().noted.find(({ regarding }) => regarding.metadata.name === "typed")),
      );
      expect(told).toMatchObject({ type: "Warning", reason: "NotInGit" });
      await api.delete({ type: fleetRegistrationToken, ...metadata });
    });

    it("a token that is deleted on the hub comes back, and the values that were handed out stay valid", async () => {
      const { api, workspace } = opened();
      await opened().declareToken("deleted");
      const given = await opened().bootstrapOf("deleted");
      const ref = { type: fleetRegistrationToken, namespace: workspace, name: "deleted" };
      const before = (await api.get(ref))?.metadata.uid;
      await api.delete(ref);
      await opened().eventually("it is there again", async () => {
        const uid = (await api.get(ref))?.metadata.uid;
        return uid !== undefined && uid !== before;
      });
      expect(await new FleetAgentClient(given, { clientID: "after-the-deletion" }).register()).toBe(true);
    });

    it("the labels of its owner that are taken off a cluster's namespace come back", async () => {
      const { api, workspace } = opened();
      await opened().declareCluster("unlabelled", { protocol: "fleet" });
      const isAccepted = async () => conditionOf(await opened().get(cluster, "unlabelled"), "Accepted") === "True";
      await opened().eventually("it is accepted", isAccepted);
      const ref = { type: namespace, name: clusterNamespaceName(workspace, "unlabelled") };
      const labels = { [labelKeys.cluster]: null, [labelKeys.ownerWorkspace]: null };
      await api.mergePatch(ref, { metadata: { labels } }, { fieldManager: "kubectl-label" });
      const labelOf = async () => (await api.get(ref))?.metadata.labels?.[labelKeys.cluster];
      expect(await opened().eventually("it has its labels again", labelOf)).toBe("unlabelled");
    });
  });
}
