import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, node.k8s.io/v1. */
export const nodeV1: TypeTable = {
  group: "node.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.node.v1",
  types: {
    RuntimeClass: {
      metadata: "1 meta.ObjectMeta",
      handler: "2 string always required",
      overhead: "3 *Overhead",
      scheduling: "4 *Scheduling",
    },
    Overhead: {
      podFixed: "1 map Quantity",
    },
    Scheduling: {
      nodeSelector: "1 map string atomic",
      tolerations: "2 []core.Toleration atomic",
    },
    RuntimeClassList: {
      metadata: "1 meta.ListMeta",
      items: "2 []RuntimeClass always required",
    },
  },
};
