import type { JsonObject } from "../../../src/core/json.ts";
import type { StructuredKind } from "./structure-documents.ts";

/** Quotas, and workloads that this hub stores. */
export const structuredWorkloads: readonly StructuredKind[] = [
  named("v1", "ResourceQuota", "resourcequotas", {
    spec: {
      hard: { pods: "4", "requests.cpu": "2", "limits.memory": "1Gi", "requests.example.org/gpu": "1" },
      scopes: ["NotTerminating", "NotBestEffort"],
      scopeSelector: {
        matchExpressions: [
          { scopeName: "PriorityClass", operator: "In", values: ["high", "low"] },
          { scopeName: "CrossNamespacePodAffinity", operator: "Exists" },
        ],
      },
    },
  }),
  named("v1", "ResourceQuota", "resourcequotas", {
    spec: {
      hard: {
        "count/secrets": "5",
        "count/things.example.org": "1",
        services: "2",
        "services.nodeports": "1",
        "hugepages-2Mi": "2Mi",
        "requests.hugepages-2Mi": "2Mi",
        "a.storageclass.storage.k8s.io/requests.storage": "1Gi",
      },
    },
  }),
  named("v1", "ResourceQuota", "resourcequotas", { spec: { hard: { pods: "4" }, scopes: ["BestEffort"] } }),
];

function named(apiVersion: string, kind: string, plural: string, content: JsonObject): StructuredKind {
  const path = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return { apiVersion, kind, collection: `${path}/namespaces/NS/${plural}`, content };
}
