import { expect, it } from "vitest";
import { predecessorKey } from "../../../src/manifests/predecessor-key.ts";

it.each([
  { object: { kind: "Cluster", spec: { previousName: "old" } }, keys: ["Cluster/fleet/old"] },
  { object: { kind: "Cluster", spec: { previousName: "team-a/old" } }, keys: ["Cluster/team-a/old"] },
  { object: { kind: "Cluster", spec: { previousName: 5 } }, keys: [] },
  { object: { kind: "Cluster", spec: {} }, keys: [] },
  { object: { kind: "Cluster", spec: null }, keys: [] },
  { object: { kind: "Cluster", spec: "previousName" }, keys: [] },
  { object: { kind: "Cluster" }, keys: [] },
  { object: { kind: "ClusterGroup", spec: { previousName: "old" } }, keys: [] },
])("the predecessor of $object is $keys", ({ object, keys }) => {
  expect(predecessorKey(object, "fleet")).toEqual(keys);
});
