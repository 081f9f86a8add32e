import { describe, expect, it } from "vitest";
import type { AdoptSource, AdoptResult } from "../../../src/adopt/adopt-source.ts";
import { clusterApiSource } from "../../../src/adopt/cluster-api-source.ts";
import { clusternetSource } from "../../../src/adopt/clusternet-source.ts";
import { fleetSource } from "../../../src/adopt/fleet-source.ts";
import { kubefleetSource } from "../../../src/adopt/kubefleet-source.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

interface Case {
  readonly reason: string;
  readonly source: AdoptSource;
  readonly kind: string;
  readonly metadata?: Partial<KubeObject["metadata"]>;
  readonly spec: object;
  readonly status?: object;
  readonly result: unknown;
}

const adopt = { "rollcall.dev/adopt": "true" };
const fleet = "fleet.cattle.io/v1alpha1";

const cases: readonly Case[] = [
  {
    reason: "what Fleet's controllers write as nothing is no field of the file",
    source: fleetSource,
    kind: "Cluster",
    spec: { clientID: "abc", agentResources: null, kubeConfigSecret: "", paused: false },
    result: fileOf("Cluster", { clientID: "abc", paused: false }),
  },
  {
    reason: "labels of people stay, those that machines write again do not",
    source: fleetSource,
    kind: "Cluster",
    metadata: {
      labels: { env: "prod", "fleet.cattle.io/cluster": "x", "management.cattle.io/cluster-name": "c-1" },
      annotations: { "objectset.rio.cattle.io/id": "y" },
    },
    spec: { clientID: "abc" },
    result: fileOf("Cluster", { clientID: "abc" }, { env: "prod", "management.cattle.io/cluster-name": "c-1" }),
  },
  {
    reason: "the cluster's own namespace is where its kubeconfig is read from anyway",
    source: fleetSource,
    kind: "Cluster",
    spec: { kubeConfigSecret: "x-kubeconfig", kubeConfigSecretNamespace: "clusters" },
    result: fileOf("Cluster", { kubeConfigSecret: "x-kubeconfig" }),
  },
  {
    reason: "a field of a newer Fleet would be lost",
    source: fleetSource,
    kind: "Cluster",
    spec: { clientID: "abc", orbit: "low", altitude: 400 },
    result: { kind: "refused", reason: expect.stringMatching(/: spec\.altitude, spec\.orbit$/u) as string },
  },
  {
    reason: "Rancher would revert what a file declares",
    source: fleetSource,
    kind: "Cluster",
    metadata: { labels: { "fleet.cattle.io/cluster-management": "rancher" } },
    spec: {},
    result: { kind: "refused", reason: expect.stringContaining("Rancher manages it") as string },
  },
  {
    reason: "a token of one import is deleted with its cluster",
    source: fleetSource,
    kind: "ClusterRegistrationToken",
    metadata: { ownerReferences: [{ apiVersion: fleet, kind: "Cluster", name: "x", uid: "1" }] },
    spec: { ttl: "12h" },
    result: { kind: "left" },
  },
  {
    reason: "a token without an end has no spec",
    source: fleetSource,
    kind: "ClusterRegistrationToken",
    spec: { ttl: null },
    result: fileOf("ClusterRegistrationToken", undefined),
  },
  {
    reason: "a group without a selector selects nothing, with Fleet and here",
    source: fleetSource,
    kind: "ClusterGroup",
    spec: { selector: null },
    result: fileOf("ClusterGroup", undefined),
  },
  {
    reason: "a field of a newer KubeFleet would be lost",
    source: kubefleetSource,
    kind: "MemberCluster",
    spec: { identity: { kind: "User", name: "x" }, alias: "y" },
    result: { kind: "refused", reason: expect.stringMatching(/: spec\.alias$/u) as string },
  },
  {
    reason: "a field of a newer Clusternet would be lost",
    source: clusternetSource,
    kind: "ManagedCluster",
    spec: { clusterId: "x", syncMode: "Pull", clusterInitBaseName: null, orbit: "low" },
    result: { kind: "refused", reason: expect.stringMatching(/: spec\.orbit$/u) as string },
  },
  {
    reason: "the approver refused it, and its agent asks on",
    source: clusternetSource,
    kind: "ClusterRegistrationRequest",
    status: { result: "Denied" },
    spec: { clusterId: "x", clusterName: "late" },
    result: { kind: "left", reason: "the answer was Denied, so that there is no cluster late yet" },
  },
  {
    reason: "a request without a name of its cluster has no gap where the name would be",
    source: clusternetSource,
    kind: "ClusterRegistrationRequest",
    spec: { clusterId: "x" },
    result: { kind: "left", reason: "it has no answer, so that there is no cluster yet" },
  },
  {
    reason: "labels of tools would make our object theirs",
    source: clusterApiSource,
    kind: "Cluster",
    metadata: { labels: { env: "prod", "cluster.x-k8s.io/name": "x", "argocd.argoproj.io/instance": "infra" } },
    spec: { paused: true },
    result: {
      kind: "file",
      folder: "clusters",
      object: {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata: { name: "x", namespace: "clusters", labels: { env: "prod" } },
        spec: { kubeConfigSecretRef: { name: "x-kubeconfig" } },
      },
    },
  },
];

const versions = new Map<AdoptSource, string>([
  [fleetSource, fleet],
  [kubefleetSource, "cluster.kubernetes-fleet.io/v1beta1"],
  [clusternetSource, "clusters.clusternet.io/v1beta1"],
  [clusterApiSource, "cluster.x-k8s.io/v1beta2"],
]);

describe("what is taken over of a foreign hub", () => {
  it.each(cases)("$kind: $reason", ({ source, kind, metadata, spec, status, result }) => {
    const live: KubeObject = {
      apiVersion: versions.get(source) ?? "",
      kind,
      metadata: { name: "x", namespace: "clusters", uid: "u", resourceVersion: "7", ...metadata },
      spec,
      status: status ?? { anything: true },
    };
    expect(source.evaluate(live)).toMatchObject(result as object);
    const evaluated = source.evaluate(live);
    if (evaluated.kind === "file") expect(evaluated).toEqual(result);
  });
});

function fileOf(kind: string, spec: object | undefined, labels?: Record<string, string>): AdoptResult {
  const folder = kind === "Cluster" ? "clusters" : kind === "ClusterGroup" ? "groups" : "tokens";
  const metadata = { name: "x", namespace: "clusters", ...(labels ? { labels } : {}), annotations: adopt };
  return { kind: "file", folder, object: { apiVersion: fleet, kind, metadata, ...(spec ? { spec } : {}) } };
}
