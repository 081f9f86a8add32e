import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, scheduling.k8s.io/v1. */
export const schedulingV1: TypeTable = {
  group: "scheduling.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.scheduling.v1",
  types: {
    PriorityClass: {
      metadata: "1 meta.ObjectMeta",
      value: "2 int32 always required",
      globalDefault: "3 bool",
      description: "4 string",
      preemptionPolicy: "5 *string enum=Never,PreemptLowerPriority",
    },
    PriorityClassList: {
      metadata: "1 meta.ListMeta",
      items: "2 []PriorityClass always required",
    },
  },
};
