import type { JsonObject } from "../../../src/core/json.ts";
import type { StructuredKind } from "./structured-workloads.ts";

function named(group: string, kind: string, plural: string, content: JsonObject): StructuredKind {
  return { apiVersion: `${group}/v1`, kind, collection: `/apis/${group}/v1/${plural}`, content };
}

/** Kinds without a namespace of what nodes run and store. */
export const structuredNodeKinds: readonly StructuredKind[] = [
  named("node.k8s.io", "RuntimeClass", "runtimeclasses", {
    handler: "a",
    overhead: { podFixed: { cpu: "1", memory: "1Mi" } },
    scheduling: {
      nodeSelector: { app: "a" },
      tolerations: [
        { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 },
        { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" },
      ],
    },
  }),
  named("storage.k8s.io", "CSINode", "csinodes", {
    spec: {
      drivers: [
        {
          name: "a.example.org",
          nodeID: "a",
          topologyKeys: ["example.org/a", "example.org/b"],
          allocatable: { count: 4 },
        },
        { name: "b.example.org", nodeID: "b", topologyKeys: ["a"] },
      ],
    },
  }),
];
