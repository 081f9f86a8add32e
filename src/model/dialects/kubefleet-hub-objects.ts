import type { KubeObject } from "../kubernetes.ts";
import { kubefleetAgentNames } from "./kubefleet.ts";

/**
 * What a hub needs once, beside definitions, for KubeFleet's join script: the namespace in which the script makes the account
 * of a member. KubeFleet's own chart makes it for its hub agent.
 */
export const kubefleetHubObjects: readonly KubeObject[] = [
  {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: kubefleetAgentNames.namespace, labels: { "app.kubernetes.io/part-of": "rollcall" } },
  },
];
