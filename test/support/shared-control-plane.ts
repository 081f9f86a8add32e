import { inject } from "vitest";
import type { ControlPlane } from "./control-plane.ts";

export type SharedControlPlane = Pick<ControlPlane, "server" | "caPem" | "kubeconfig" | "kubeconfigPath">;

declare module "vitest" {
  interface ProvidedContext {
    controlPlane: SharedControlPlane;
  }
}

/**
 * The control plane that all tests of the kube project share. Tests use namespaces and cluster-scoped names of their
 * own; one that needs an outage or an audit log starts its own with startControlPlane().
 */
export function sharedControlPlane(): SharedControlPlane {
  return inject("controlPlane");
}
