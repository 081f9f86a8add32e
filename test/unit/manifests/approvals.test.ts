import { describe, expect, it } from "vitest";
import { approveClusters } from "../../../src/manifests/approvals.ts";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const place = { position: { file: "a.yaml", line: 1, column: 1 }, blobId: "b" };

function declared(name: string, clientID?: string, namespace = "fleet"): Declared<Cluster> {
  const spec = { protocol: "clusternet" as const, ...(clientID === undefined ? {} : { clientID }) };
  return {
    ...place,
    object: { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name, namespace }, spec },
  };
}

function approval(clusterName: string, workspace: string | undefined = "fleet") {
  const object: KubeObject = {
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ClusterRegistrationRequest",
    metadata: { name: `clusternet-${id}` },
    spec: { clusterId: id, clusterName },
  };
  return { approval: { ...place, object }, workspace };
}

const shown = (clusters: readonly Declared<Cluster>[]): string[] =>
  clusters.map(({ object: { metadata, spec } }) => `${metadata.namespace}/${metadata.name} ${spec?.clientID}`);

describe("approveClusters: a committed request of a Clusternet agent", () => {
  it("gives its id to the cluster of its name and workspace that has none", () => {
    const clusters = [declared("eu-1"), declared("eu-1", undefined, "team-a"), declared("eu-2")];
    expect(shown(approveClusters(clusters, [approval("eu-1")]))).toEqual([
      `fleet/eu-1 ${id}`,
      "team-a/eu-1 undefined",
      "fleet/eu-2 undefined",
    ]);
  });

  it("changes no cluster that declares its id", () => {
    expect(shown(approveClusters([declared("eu-1", "said")], [approval("eu-1")]))).toEqual(["fleet/eu-1 said"]);
  });

  it("declares the cluster where no other file does, in its workspace", () => {
    expect(shown(approveClusters([declared("eu-2")], [approval("eu-1"), approval("eu-1", "team-a")]))).toEqual([
      "fleet/eu-2 undefined",
      `fleet/eu-1 ${id}`,
      `team-a/eu-1 ${id}`,
    ]);
    expect(approveClusters([], [{ ...approval("eu-1"), workspace: undefined }])[0]?.object.metadata).toEqual({
      name: "eu-1",
    });
  });

  it("gives the same object each time, so that nothing is computed again", () => {
    const [cluster, request] = [declared("eu-1"), approval("eu-1")];
    expect(approveClusters([cluster], [request])[0]).toBe(approveClusters([cluster], [request])[0]);
    expect(approveClusters([cluster], [])).toEqual([cluster]);
  });
});
