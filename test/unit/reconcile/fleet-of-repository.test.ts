import { describe, expect, it } from "vitest";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { clustersOf, countFleet } from "../../../src/reconcile/fleet-of-repository.ts";
import { repository } from "./phase-builders.ts";

const objectOf = (kind: string, name: string, label: string, ready?: "True" | "False"): KubeObject => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind,
  metadata: { name, namespace: "fleet", labels: { [labelKeys.repository]: label } },
  ...(ready === undefined ? {} : { status: { conditions: [{ type: "Ready", status: ready }] } }),
});

const objects = [
  objectOf("Cluster", "ready", "rollcall.fleet", "True"),
  objectOf("Cluster", "silent", "rollcall.fleet", "False"),
  objectOf("Cluster", "new", "rollcall.fleet"),
  objectOf("Cluster", "other", "rollcall.another", "True"),
  objectOf("ClusterRegistrationToken", "t1", "rollcall.fleet"),
  objectOf("ClusterRegistrationToken", "t2", "rollcall.another"),
  objectOf("ClusterGroup", "g1", "rollcall.fleet"),
  objectOf("ClusterGroup", "g2", "rollcall.fleet"),
  objectOf("ClusterGroup", "g3", "rollcall.another"),
];
const view = {
  list: ({ kind }: ResourceType) => objects.filter((object) => object.kind === kind),
  subscribe: () => () => undefined,
};

describe("clustersOf", () => {
  it("has the Clusters of this Repository alone", () => {
    expect(clustersOf(view, repository).map(({ metadata }) => metadata.name)).toEqual(["ready", "silent", "new"]);
  });
});

describe("countFleet", () => {
  it("counts what belongs to this Repository, and which clusters are ready", () => {
    expect(countFleet(view, repository, 7)).toEqual({ files: 7, clusters: 3, readyClusters: 1, tokens: 1, groups: 2 });
  });

  it("counts nothing on an empty hub", () => {
    const empty = { ...view, list: () => [] };
    expect(countFleet(empty, repository, 0)).toEqual({ files: 0, clusters: 0, readyClusters: 0, tokens: 0, groups: 0 });
    expect(view.list(resourceTypes.cluster)).toHaveLength(4);
  });
});
