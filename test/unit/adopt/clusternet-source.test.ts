import { describe, expect, it } from "vitest";
import { clusternetSource } from "../../../src/adopt/clusternet-source.ts";

const apiVersion = "clusters.clusternet.io/v1beta1";
const metadata = { name: "x", namespace: "clusternet-a", labels: { "node.clusternet.io/region": "eu", env: "prod" } };
const declared = {
  apiVersion,
  kind: "ManagedCluster",
  metadata: {
    name: "x",
    namespace: "clusternet-a",
    labels: { env: "prod" },
    annotations: { "rollcall.dev/adopt": "true" },
  },
};

describe("clusternetSource", () => {
  it.each([
    {
      reason: "of people stay",
      taints: [{ key: "clusters.clusternet.io/unschedulable", effect: "NoSchedule" }, { key: "a" }],
      kept: [{ key: "a" }],
    },
    { reason: "of controllers do not", taints: [{ key: "clusters.clusternet.io/unschedulable" }], kept: undefined },
    { reason: "that are absent stay so", taints: undefined, kept: undefined },
  ])("declares a ManagedCluster without what controllers write: taints $reason", ({ taints, kept }) => {
    const spec = { clusterId: "1", syncMode: "Pull", clusterInitBaseName: "", ...(taints ? { taints } : {}) };
    expect(clusternetSource.evaluate({ apiVersion, kind: "ManagedCluster", metadata, spec })).toEqual({
      kind: "file",
      folder: "clusters",
      object: { ...declared, spec: { clusterId: "1", syncMode: "Pull", ...(kept ? { taints: kept } : {}) } },
    });
  });

  it("takes a ManagedCluster that has no spec", () => {
    expect(clusternetSource.evaluate({ apiVersion, kind: "ManagedCluster", metadata })).toEqual({
      kind: "file",
      folder: "clusters",
      object: declared,
    });
  });

  it.each([
    {
      status: { result: "Approved", dedicatedNamespace: "clusternet-a", managedClusterName: "late-1" },
      reason: "it was approved; ManagedCluster/clusternet-a/late-1 represents it",
    },
    { status: { result: "Denied" }, reason: "the answer was Denied, so that there is no cluster late yet" },
    { status: {}, reason: "it has no answer, so that there is no cluster late yet" },
    { status: undefined, reason: "it has no answer, so that there is no cluster late yet" },
  ])("needs no file for a request with the status $status", ({ status, reason }) => {
    const live = { apiVersion, kind: "ClusterRegistrationRequest", metadata, spec: { clusterName: "late" } };
    expect(clusternetSource.evaluate({ ...live, ...(status ? { status } : {}) })).toEqual({ kind: "left", reason });
  });
});
