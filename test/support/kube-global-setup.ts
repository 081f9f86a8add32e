import type { TestProject } from "vitest/node";
import { startControlPlane } from "./control-plane.ts";

/** Vitest's global setup of the kube project: one control plane for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { server, caPem, kubeconfig, kubeconfigPath, stop } = await startControlPlane();
  project.provide("controlPlane", { server, caPem, kubeconfig, kubeconfigPath });
  return stop;
}
