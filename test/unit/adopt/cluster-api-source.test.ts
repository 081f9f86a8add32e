import { describe, expect, it } from "vitest";
import { clusterApiSource } from "../../../src/adopt/cluster-api-source.ts";

function memberOf(labels?: Record<string, string>, namespace: string | undefined = "clusters") {
  const metadata = { name: "x", ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) };
  return clusterApiSource.evaluate({ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", metadata });
}

describe("clusterApiSource", () => {
  it.each([
    { label: "env", isKept: true },
    { label: "example.com/env", isKept: true },
    { label: "app.kubernetes.io/name", isKept: true },
    { label: "app.kubernetes.io/instance", isKept: false },
    { label: "app.kubernetes.io/managed-by", isKept: false },
    { label: "x-k8s.io/a", isKept: false },
    { label: "topology.cluster.x-k8s.io/owned", isKept: false },
    { label: "argoproj.io/a", isKept: false },
    { label: "kustomize.toolkit.fluxcd.io/name", isKept: false },
    { label: "objectset.rio.cattle.io/hash", isKept: false },
    { label: "notfluxcd.io/a", isKept: true },
    { label: "fluxcd.io.example.com/a", isKept: true },
  ])("keeps the label $label: $isKept, so that no tool prunes our object as its own", ({ label, isKept }) => {
    const result = memberOf({ [label]: "x" });
    expect(result).toMatchObject({ kind: "file", folder: "clusters" });
    const metadata = { name: "x", namespace: "clusters", ...(isKept ? { labels: { [label]: "x" } } : {}) };
    expect(result).toHaveProperty("object.metadata", metadata);
  });

  it("names the kubeconfig that Cluster API keeps, and no namespace where there is none", () => {
    expect(memberOf(undefined, "")).toEqual({
      kind: "file",
      folder: "clusters",
      object: {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata: { name: "x" },
        spec: { kubeConfigSecretRef: { name: "x-kubeconfig" } },
      },
    });
  });
});
