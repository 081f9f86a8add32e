import { describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const group = "/apis/fleet.cattle.io/v1alpha1";

/** What readers of Fleet's kinds find: the columns that they know, and what a token may declare. */
export function describeServedKinds(opened: () => FleetHubSession): void {
  describe("Fleet's kinds", () => {
    it.each([
      { plural: "clusters", columns: ["Bundles-Ready", "Last-Seen", "Status"] },
      { plural: "clusterregistrationtokens", columns: ["Secret-Name"] },
      { plural: "clusterregistrations", columns: ["Cluster-Name", "Labels"] },
      { plural: "clustergroups", columns: ["Clusters-Ready", "Bundles-Ready", "Status"] },
      { plural: "bundledeployments", columns: ["Deployed", "Monitored", "Status"] },
    ])("print what Fleet's own print: $plural", async ({ plural, columns }) => {
      const { text } = await opened().api.getRaw(
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.fleet.cattle.io`,
      );
      const [version] = objectsAt(JSON.parse(text), "spec", "versions");
      expect(objectsAt(version, "additionalPrinterColumns").map(({ name }) => name)).toEqual(columns);
    });

    it("have a status of their own, Content for all namespaces at once", async () => {
      const { text } = await opened().api.getRaw(group);
      const resources = objectsAt(JSON.parse(text), "resources");
      const names = resources.map(({ name }) => name);
      for (const plural of ["clusters", "clusterregistrationtokens", "clusterregistrations", "bundledeployments"])
        expect(names).toContain(`${plural}/status`);
      expect(resources.filter(({ namespaced }) => namespaced === false).map(({ name }) => name)).toContain("contents");
    });

    it.each([
      { ttl: "240h", isTaken: true },
      { ttl: "1h30m", isTaken: true },
      { ttl: "0", isTaken: true },
      { ttl: "0s", isTaken: true },
      { ttl: "", isTaken: false },
      { ttl: "-1h", isTaken: false },
      { ttl: "10d", isTaken: false },
      { ttl: "2w", isTaken: false },
    ])("take a token's ttl of '$ttl': $isTaken", async ({ ttl, isTaken }) => {
      const metadata = { name: "any", namespace: opened().workspace };
      const token = {
        apiVersion: "fleet.cattle.io/v1alpha1",
        kind: "ClusterRegistrationToken",
        metadata,
        spec: { ttl },
      };
      const asked = opened().api.create(token, { fieldManager: "test", isDryRun: true });
      const answer = await asked.then(
        (made) => textAt(made, "spec", "ttl"),
        (error: unknown) => textAt(error, "code"),
      );
      expect(answer).toBe(isTaken ? ttl : "E_KUBE_INVALID");
    });
  });
}
