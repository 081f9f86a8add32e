import { describe, expect, it } from "vitest";
import { keepLabels, keepMetadata } from "../../../../src/embedded-hub/resources/keep-metadata.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { startHubWorld } from "../controllers/hub-world.ts";

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "absent", uid: "absent" };

function object(metadata: object): KubeObject {
  return { apiVersion: "v1", kind: "Any", metadata: { name: "a", ...metadata } };
}

it("keeps the metadata of an object but for its version and managers", () => {
  const old = object({ labels: { a: "b" }, resourceVersion: "1", managedFields: [] });
  const written = object({ ownerReferences: [owner], finalizers: ["a/b"], resourceVersion: "2" });
  expect(keepMetadata(written, old)).toEqual({ name: "a", labels: { a: "b" }, resourceVersion: "2" });
});

it("keeps the labels of an object, also that it has none", () => {
  expect(keepLabels(object({ labels: { a: "b" }, annotations: { c: "d" } }), object({}))).toEqual({
    name: "a",
    annotations: { c: "d" },
  });
  expect(keepLabels(object({}), object({ labels: { a: "b" } }))).toEqual({ name: "a", labels: { a: "b" } });
});

describe("A81 a write of status", () => {
  it("has no admission policy deleted by an owner that does not exist", async () => {
    const world = await startHubWorld();
    await world.create({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "p" },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
        },
        validations: [{ expression: "false" }],
      },
    });
    await world.settle();
    await world.change(
      "validatingadmissionpolicies",
      "p",
      (policy) => ({ ...policy, metadata: { ...policy.metadata, labels: { a: "b" }, ownerReferences: [owner] } }),
      { subresource: "status" },
    );
    await world.settle();
    const { labels, ownerReferences } = world.get("validatingadmissionpolicies", "p")?.metadata ?? { labels: "gone" };
    expect({ labels, ownerReferences }).toEqual({ labels: undefined, ownerReferences: undefined });
  });

  it("leaves the labels of a Deployment, by which others select it", async () => {
    const world = await startHubWorld();
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } };
    const metadata = { name: "web", namespace: "shop", labels };
    await world.create({
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
    await world.settle();
    await world.change(
      "deployments",
      "web",
      (deployment) => ({ ...deployment, metadata: { ...deployment.metadata, labels: { app: "other" } } }),
      { subresource: "status" },
    );
    expect(world.get("deployments", "web")?.metadata.labels).toEqual(labels);
  });
});
