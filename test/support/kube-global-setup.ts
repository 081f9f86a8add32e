import type { TestProject } from "vitest/node";
import { createHttpsTransport } from "../../src/kube/https-transport.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { describeMissingControlPlane, hasControlPlane, startControlPlane } from "./control-plane.ts";
import { realClock, realRandom } from "./real-time.ts";

/** Vitest's global setup of the kube project: one control plane for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Vitest may print the error of a setup without its message.
  if (!hasControlPlane()) process.stderr.write(`${describeMissingControlPlane()}\n`);
  const { server, caPem, kubeconfig, kubeconfigPath, stop } = await startControlPlane();
  project.provide("controlPlane", { server, caPem, kubeconfig, kubeconfigPath });
  return async () => {
    try {
      await refuseLeftNodes(kubeconfig);
    } finally {
      await stop();
    }
  };
}

/** Agents of all suites report the Nodes of this API server: one that a suite leaves makes clusters of others not Ready. */
async function refuseLeftNodes(kubeconfig: string): Promise<void> {
  const transport = createHttpsTransport(readKubeconfig(kubeconfig));
  const api = createKubeApi({ transport, clock: realClock, random: realRandom });
  try {
    const { items } = await api.list(resourceTypes.node);
    const names = items.map(({ metadata }) => metadata.name);
    if (names.length > 0) throw new Error(`suites left Nodes on the shared control plane: ${names.join(", ")}`);
  } finally {
    await api.close();
  }
}
