import { expect, it } from "vitest";
import { demoIdentity, endDemoLeases, storeKubeconfig } from "../../../src/demo/up-prepare-hub.ts";
import type { DownstreamCluster } from "../../../src/demo/up-downstream-cluster.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";

it("ends the Leases of a demo that was killed, and none of another process", async () => {
  const holders: Readonly<Record<string, string | undefined>> = {
    "rollcall-hub": demoIdentity(),
    "rollcall-repository": "uninstall-1234",
  };
  const deleted: string[] = [];
  const hubApi: Pick<KubeApi, "get" | "delete"> = {
    get: async ({ name }) => {
      const holderIdentity = holders[name];
      const spec = holderIdentity === undefined ? {} : { holderIdentity };
      return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec };
    },
    delete: async (ref) => void deleted.push(describeRef(ref)),
  };
  await endDemoLeases(hubApi as KubeApi, "rollcall-system", new AbortController().signal);
  expect(deleted).toEqual(["Lease/rollcall-system/rollcall-hub"]);
});

it("names each process that runs a demo", () => {
  expect(demoIdentity()).not.toBe(demoIdentity());
});

it.each([
  { reason: "under the key `value`", namespace: "fleet", ref: { name: "k" }, stored: ["fleet/k", "value"] },
  {
    reason: "under the key that is named",
    namespace: "labs",
    ref: { name: "k", key: "own" },
    stored: ["labs/k", "own"],
  },
  { reason: "nowhere, for a Cluster that names no Secret", namespace: "fleet", ref: undefined, stored: undefined },
])("stores the kubeconfig of a cluster $reason", async ({ namespace, ref, stored }) => {
  const applied: KubeObject[] = [];
  const apply: KubeApi["apply"] = async (object) => {
    applied.push(object);
    return object;
  };
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "c", namespace },
    spec: ref === undefined ? {} : { kubeConfigSecretRef: ref },
  };
  const downstream = { kubeconfig: "kind: Config" } as DownstreamCluster;
  await storeKubeconfig({ apply } as KubeApi, cluster, downstream, new AbortController().signal);
  const [place, key = ""] = stored ?? [];
  expect(applied.map(({ metadata, type, data }) => [`${metadata.namespace}/${metadata.name}`, type, data])).toEqual(
    stored === undefined ? [] : [[place, "Opaque", { [key]: Buffer.from("kind: Config").toString("base64") }]],
  );
});
