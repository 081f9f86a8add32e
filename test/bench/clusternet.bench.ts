import { randomUUID } from "node:crypto";
import { describe, it } from "vitest";
import { installClusternet } from "../../src/install/install-clusternet.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { textAt } from "../../src/core/read-json.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { hasControlPlane } from "../support/control-plane.ts";
import { until } from "../support/until.ts";
import type { BenchHub } from "./serving-hub.ts";
import { cpuSeconds, print, residentMB, withServingHub, workspace } from "./serving-hub.ts";
import { declareObject } from "../support/declare-object.ts";

const counts = (process.env.ROLLCALL_BENCH_MEMBERS ?? "100,300").split(",").map(Number);

// Requests of Clusternet's agents that are made at once, by a token that names their clusters, from the first create until
// each is Approved. The daemon is a process of its own on a kube-apiserver. Clusternet's own controllers took 14 s for 100
// and 48 s for 300 on such a one, in 96 MB.
describe("requests of Clusternet's protocol, on kube-apiserver", () => {
  it.skipIf(!hasControlPlane())("are approved", { timeout: 600_000 }, async () => {
    for (const count of counts)
      await withServingHub("--serve-clusternet", installClusternet, (hub) => timeApproved(hub, count));
  });
});

async function timeApproved({ api, pid }: BenchHub, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `cluster-${index}`);
  const token = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name: "door", namespace: workspace },
    spec: { protocol: "clusternet", clusterNames: names },
  };
  await declareObject(api, token);
  await until(
    async () => api.get({ type: resourceTypes.secret, namespace: workspace, name: "door" }),
    (secret) => secret !== undefined,
    120_000,
  );
  const approved = new Set<string>();
  const cache = startKubeCache(
    api,
    resourceTypes.registrationRequest,
    {
      onChange: ({ ref, object }) => {
        if (textAt(object, "status", "result") === "Approved") approved.add(ref.name);
      },
    },
    { clock: realClock, random: realRandom },
  );
  await cache.whenSynced();
  const startMs = performance.now();
  const cpuBefore = await cpuSeconds(pid);
  const queue = names.values();
  const worker = async (): Promise<void> => {
    for (const name of queue) await api.create(requestOf(name), { fieldManager: "clusternet-agent" });
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  const createdMs = performance.now();
  await until(
    async () => approved.size,
    (size) => size >= count,
    300_000,
  );
  print("approved", {
    count,
    seconds: ((performance.now() - startMs) / 1000).toFixed(1),
    createSeconds: ((createdMs - startMs) / 1000).toFixed(1),
    daemonCpuSeconds: ((await cpuSeconds(pid)) - cpuBefore).toFixed(1),
    daemonMB: await residentMB(pid),
  });
  await cache.stop();
}

function requestOf(clusterName: string) {
  const clusterId = randomUUID();
  const clusterLabels = { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "door" };
  return {
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ClusterRegistrationRequest",
    metadata: { name: `clusternet-${clusterId}` },
    spec: { clusterId, clusterName, clusterType: "StandardCluster", syncMode: "Pull", clusterLabels },
  };
}
