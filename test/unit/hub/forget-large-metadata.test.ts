import { describe, expect, it } from "vitest";
import { forgetLargeMetadata } from "../../../src/hub/forget-large-metadata.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { apiVersionOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const { cluster, fleetRegistration, lease, managedCluster, namespace, registrationRequest, work } = resourceTypes;
const names = Array.from({ length: 3000 }, (_, index) => `a${index}`);
const many = Object.fromEntries(names.map((name) => [name, "v"]));
const read = {
  "rollcall.dev/token": "door",
  "rollcall.dev/workspace": "fleet",
  "fleet.cattle.io/registration-token": "t",
};

function objectOf(type: ResourceType): KubeObject {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: "one",
      labels: { ...many, ...read },
      annotations: { ...many, "rollcall.dev/leave": "c" },
      finalizers: names,
      ownerReferences: names.map((name) => ({ apiVersion: "v1", kind: "Secret", name, uid: name })),
    },
    spec: { clientID: "one", clusterLabels: { ...many, ...read } },
  };
}

describe("forgetLargeMetadata", () => {
  it.each([fleetRegistration, registrationRequest, work, managedCluster, lease])(
    "A174 keeps a few hundred labels, annotations, finalizers and owners of a $kind, and those that are read",
    (type) => {
      const object = objectOf(type);
      forgetLargeMetadata(type, object);
      const { labels = {}, annotations = {}, finalizers, ownerReferences } = object.metadata;
      expect(Object.keys(labels)).toHaveLength(512 + 3);
      expect(labels).toMatchObject(read);
      expect(Object.keys(annotations)).toHaveLength(512 + 1);
      expect(annotations["rollcall.dev/leave"]).toBe("c");
      expect([finalizers?.length, ownerReferences?.length]).toEqual([512, 512]);
      expect(object["spec"]).toMatchObject({ clientID: "one", clusterLabels: read });
      expect(JSON.stringify(object).length).toBeLessThan(60_000);
    },
  );

  it("A278 keeps of the annotations of a namespace those that are read, and a few hundred labels", () => {
    const object = objectOf(namespace);
    Object.assign(object.metadata.annotations ?? {}, { large: "x".repeat(200_000) });
    forgetLargeMetadata(namespace, object);
    expect(object.metadata.annotations).toEqual({ "rollcall.dev/leave": "c" });
    expect(Object.keys(object.metadata.labels ?? {})).toHaveLength(512 + 3);
    const bare: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "one" } };
    forgetLargeMetadata(namespace, bare);
    expect(bare).toEqual({ apiVersion: "v1", kind: "Namespace", metadata: { name: "one" } });
  });

  it("changes nothing of a kind that people write, nor of an object with few", () => {
    const object = objectOf(cluster);
    forgetLargeMetadata(cluster, object);
    expect(object).toEqual(objectOf(cluster));
    const bare: KubeObject = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "one" } };
    forgetLargeMetadata(lease, bare);
    expect(bare).toEqual({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "one" } });
  });
});
