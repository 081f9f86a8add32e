import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { clusterOfMemberCluster } from "../../../src/manifests/convert-kubefleet.ts";
import { validateDocument } from "../../../src/manifests/validate-document.ts";

const identity = { name: "eu-1-hub-cluster-access", kind: "ServiceAccount", namespace: "fleet-system", apiGroup: "" };

function memberCluster(spec: object) {
  const metadata = { name: "eu-1", labels: { env: "prod" } };
  return { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", metadata, spec };
}

describe("clusterOfMemberCluster", () => {
  it("takes every field, as KubeFleet's own guide writes it", () => {
    const taints = [{ key: "a.b/c", value: "d", effect: "NoSchedule" }];
    const deleteOptions = { validationMode: "Skip" };
    const object = memberCluster({ identity, heartbeatPeriodSeconds: 15, taints, deleteOptions });
    const cluster = clusterOfMemberCluster(object);
    expect(cluster).toEqual({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name: "eu-1", labels: { env: "prod" } },
      spec: {
        protocol: "kubefleet",
        heartbeat: { periodSeconds: 15 },
        taints,
        kubefleet: {
          identity: { name: "eu-1-hub-cluster-access", kind: "ServiceAccount", namespace: "fleet-system" },
          deleteOptions,
        },
      },
    });
    expect(validateDocument("Cluster", cluster as unknown as JsonObject)).toEqual([]);
  });

  it("leaves unset what the file leaves unset", () => {
    expect(clusterOfMemberCluster(memberCluster({ identity: { kind: "User", name: "u" } })).spec).toEqual({
      protocol: "kubefleet",
      kubefleet: { identity: { kind: "User", name: "u" } },
    });
  });

  it("keeps the group of an identity that has one, and annotations", () => {
    const user = { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" };
    const object = memberCluster({ identity: user });
    const annotated = { ...object, metadata: { name: "eu-1", annotations: { "a.b/c": "d" } } };
    const cluster = clusterOfMemberCluster(annotated);
    expect(cluster.spec?.kubefleet).toEqual({ identity: user });
    expect(cluster.metadata).toStrictEqual({ name: "eu-1", annotations: { "a.b/c": "d" } });
    expect(clusterOfMemberCluster(object).metadata).toStrictEqual({ name: "eu-1", labels: { env: "prod" } });
  });

  it("declares a member whose file has no spec yet", () => {
    const { spec: _spec, ...bare } = memberCluster({});
    expect(clusterOfMemberCluster(bare).spec).toStrictEqual({ protocol: "kubefleet", kubefleet: {} });
  });
});
