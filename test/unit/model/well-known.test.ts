import { describe, expect, it } from "vitest";
import { isReservedLabelKey } from "../../../src/model/well-known.ts";

describe("A2 isReservedLabelKey", () => {
  it.each([
    ...["rollcall.dev/a", "kubernetes.io/a", "node.kubernetes.io/a", "k8s.io/a", "apps.k8s.io/a"],
    ...["x-k8s.io/a", "cluster.x-k8s.io/cluster-name", "gateway.networking.x-k8s.io/a", "Cluster.X-K8S.io/a"],
    ...["fleet.cattle.io/a", "kubernetes-fleet.io/a", "clusters.clusternet.io/a"],
  ])("reserves %s", (key) => {
    expect(isReservedLabelKey(key)).toBe(true);
  });

  it.each(["env", "example.com/env", "notk8s.io/a", "my-x-k8s.io/a", "k8s.io.example.com/a"])(
    "leaves %s to all",
    (key) => {
      expect(isReservedLabelKey(key)).toBe(false);
    },
  );
});
