import { describe, expect, it } from "vitest";
import { forgetLargeSets } from "../../../src/hub/forget-large-sets.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { apiVersionOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const {
  cluster,
  clusterRegistration,
  clusterReport,
  fleetBundleDeployment,
  internalMemberCluster,
  fleetRegistration,
  lease,
  namespace,
} = resourceTypes;
const { registrationRequest, work } = resourceTypes;

const small = { "f:spec": { "f:renewTime": {} } };
const large = { "f:spec": Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`f:n${index}`, {}])) };
const time = "2026-01-01T00:00:00Z";

function managedBy(type: ResourceType): KubeObject {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: "one",
      managedFields: [
        { manager: "agent", time, fieldsV1: small },
        { manager: "x", time, fieldsV1: large },
        { manager: "y" },
      ],
    },
  };
}

describe("forgetLargeSets", () => {
  it.each([
    lease,
    clusterReport,
    clusterRegistration,
    fleetRegistration,
    registrationRequest,
    work,
    fleetBundleDeployment,
    internalMemberCluster,
    namespace,
  ])("A165 A166 forgets the large sets of a $kind of $group, and keeps managers, times and small sets", (type) => {
    const object = managedBy(type);
    forgetLargeSets(type, object);
    expect(object.metadata.managedFields).toEqual([
      { manager: "agent", time, fieldsV1: small },
      { manager: "x", time, fieldsV1: {} },
      { manager: "y" },
    ]);
  });

  it("changes nothing of a kind that people write, nor of an object without managers", () => {
    const object = managedBy(cluster);
    forgetLargeSets(cluster, object);
    expect(object).toEqual(managedBy(cluster));
    const bare: KubeObject = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "one" } };
    forgetLargeSets(lease, bare);
    expect(bare.metadata).toEqual({ name: "one" });
  });
});
