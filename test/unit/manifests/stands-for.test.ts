import { expect, it } from "vitest";
import { placeOfMeant } from "../../../src/manifests/stands-for.ts";

const own = { namespace: "ns", name: "own" };

it.each([
  { kind: "Cluster", spec: { clusterName: "meant" }, place: { namespace: "ns", name: "own" } },
  { kind: "ManagedCluster", spec: { clusterName: "meant" }, place: { namespace: undefined, name: "own" } },
  {
    kind: "ClusterRegistrationRequest",
    spec: { clusterName: "meant" },
    place: { namespace: undefined, name: "meant" },
  },
  { kind: "ClusterRegistrationRequest", spec: { clusterName: 5 }, place: { namespace: undefined, name: undefined } },
  { kind: "ClusterRegistrationRequest", spec: null, place: { namespace: undefined, name: undefined } },
])("a $kind with $spec declares $place", ({ kind, spec, place }) => {
  expect(placeOfMeant(kind, { spec }, own)).toStrictEqual(place);
});
