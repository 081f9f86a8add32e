import { describe, expect, it } from "vitest";
import { applyFields } from "../../../../src/hub/rehearsal/apply-fields.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const base = { apiVersion: "v1", kind: "ConfigMap" };
const map = (data: Record<string, unknown>, labels?: Record<string, string>): KubeObject => ({
  ...base,
  metadata: { name: "a", namespace: "n", ...(labels ? { labels } : {}) },
  data,
});
const by = (manager: string) => ({ manager, operation: "Apply" as const });

describe("applyFields", () => {
  it("removes what the manager owned and no longer wants", () => {
    const live = applyFields(undefined, map({ x: "1", y: "2" }), by("git"));
    expect(applyFields(live, map({ x: "3" }), by("git"))["data"]).toEqual({ x: "3" });
  });

  it("leaves what another manager owns", () => {
    const live = applyFields(applyFields(undefined, map({ x: "1" }), by("git")), map({ x: "1", y: "2" }), by("hub"));
    expect(applyFields(live, map({}), by("git"))["data"]).toEqual({ x: "1", y: "2" });
    expect(applyFields(live, map({ x: "1" }), by("hub"))["data"]).toEqual({ x: "1" });
  });

  it("removes a map with its last field", () => {
    const live = applyFields(undefined, map({ x: "1" }, { env: "prod" }), by("git"));
    expect(applyFields(live, map({ x: "1" }), by("git")).metadata.labels).toBeUndefined();
  });

  it("touches no status with a body, and no body with a status", () => {
    const live = applyFields(undefined, map({ x: "1" }), by("hub"));
    const status = { ...base, metadata: { name: "a", namespace: "n" }, status: { ready: true } };
    const told = applyFields(live, status, { ...by("hub"), subresource: "status" });
    expect(told).toMatchObject({ data: { x: "1" }, status: { ready: true } });
    expect(applyFields(told, map({ x: "2" }), by("hub"))).toMatchObject({ data: { x: "2" }, status: { ready: true } });
  });

  it("fills in the defaults of our kinds alone", () => {
    const own = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "a" }, spec: {} };
    const foreign = { ...own, apiVersion: "fleet.cattle.io/v1alpha1" };
    expect(applyFields(undefined, own, by("git"))["spec"]).toMatchObject({ protocol: "rollcall" });
    expect(applyFields(undefined, foreign, by("git"))["spec"]).toEqual({});
  });

  it("removes a map of named fields with its defaults, once no manager owns a field of it", () => {
    const cluster = (spec: object): KubeObject => ({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name: "a" },
      spec,
    });
    const live = applyFields(undefined, cluster({ kubeConfigSecretRef: { name: "k" } }), by("git"));
    const defaulted = { ...live, spec: { kubeConfigSecretRef: { name: "k", key: "value" } } };
    expect(applyFields(defaulted, cluster({}), by("git"))["spec"]).not.toHaveProperty("kubeConfigSecretRef");
  });

  it("leaves a label that no manager owns", () => {
    const live = applyFields(undefined, map({}, { env: "prod" }), by("git"));
    const labelled = { ...live, metadata: { ...live.metadata, labels: { env: "prod", other: "x" } } };
    expect(applyFields(labelled, map({}), by("git")).metadata.labels).toEqual({ other: "x" });
  });
});
