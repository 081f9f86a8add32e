import { expect, it } from "vitest";
import { HubObjectTable } from "../../../../src/daemon/page/hub-object-table.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";

const { fleetCluster, memberCluster, secret } = resourceTypes;

function fleetNamed(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster", metadata: { name, namespace: "labs", labels } };
}

it("follows what people create and delete, and returns whether anything to show changed", () => {
  const live = [fleetNamed("b"), fleetNamed("declared", { "rollcall.dev/cluster": "declared" })];
  const table = new HubObjectTable({ list: (type) => (type === fleetCluster ? live : []) }, [
    fleetCluster,
    memberCluster,
  ]);
  const names = (): readonly string[] => table.all().map(({ row }) => row.object);
  expect(names()).toEqual(["Cluster.fleet.cattle.io/labs/b"]);
  const made = fleetNamed("a");
  const ref = refOf(fleetCluster, made);
  expect(table.record({ ref, object: made })).toBe(true);
  expect(table.record({ ref, object: { ...made, status: {} } })).toBe(false);
  expect(names()).toEqual(["Cluster.fleet.cattle.io/labs/a", "Cluster.fleet.cattle.io/labs/b"]);
  expect(table.all()[0]?.workspace).toBe("labs");
  expect(table.record({ ref, object: undefined })).toBe(true);
  expect(table.record({ ref: { type: secret, namespace: "labs", name: "s" }, object: made })).toBe(false);
  expect(names()).toEqual(["Cluster.fleet.cattle.io/labs/b"]);
});
