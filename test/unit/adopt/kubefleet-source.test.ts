import { describe, expect, it } from "vitest";
import { kubefleetSource } from "../../../src/adopt/kubefleet-source.ts";

const apiVersion = "cluster.kubernetes-fleet.io/v1beta1";
const identity = { kind: "ServiceAccount", name: "x", namespace: "fleet-system" };

describe("kubefleetSource", () => {
  it.each([{ spec: { identity } }, { spec: undefined }])("takes a MemberCluster as it is: %j", ({ spec }) => {
    const metadata = { name: "x", labels: { "kubernetes-fleet.io/member-name": "x", env: "prod" } };
    const live = { apiVersion, kind: "MemberCluster", metadata, ...(spec ? { spec } : {}) };
    const kept = { name: "x", labels: { env: "prod" }, annotations: { "rollcall.dev/adopt": "true" } };
    expect(kubefleetSource.evaluate(live)).toEqual({
      kind: "file",
      folder: "clusters",
      object: { apiVersion, kind: "MemberCluster", metadata: kept, ...(spec ? { spec } : {}) },
    });
  });

  it("refuses fields of a newer KubeFleet, and names them in order", () => {
    const spec = { identity, orbit: 1, altitude: 2 };
    expect(
      kubefleetSource.evaluate({ apiVersion, kind: "MemberCluster", metadata: { name: "x" }, spec }),
    ).toMatchObject({
      kind: "refused",
      reason: "it has fields that no file here can declare: spec.altitude, spec.orbit",
    });
  });

  it("counts placements of both groups as work that stays with KubeFleet", () => {
    const groups = new Map(kubefleetSource.unserved.map(({ type }) => [type.kind, type.group]));
    expect(Object.fromEntries(groups)).toMatchObject({
      ResourcePlacement: "placement.kubernetes-fleet.io",
      ClusterPlacementPolicy: "placement.kubefleet.dev",
      PlacementPolicy: "placement.kubefleet.dev",
    });
  });
});
