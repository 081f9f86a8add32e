import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, policy/v1. */
export const policyV1: TypeTable = {
  group: "policy",
  version: "v1",
  openApiPrefix: "io.k8s.api.policy.v1",
  types: {
    PodDisruptionBudget: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 PodDisruptionBudgetSpec",
      status: "3 PodDisruptionBudgetStatus",
    },
    PodDisruptionBudgetSpec: {
      minAvailable: "1 *IntOrString",
      selector: "2 *meta.LabelSelector patch=replace",
      maxUnavailable: "3 *IntOrString",
      unhealthyPodEvictionPolicy: "4 *string enum=AlwaysAllow,IfHealthyBudget",
    },
    PodDisruptionBudgetStatus: {
      observedGeneration: "1 int64",
      disruptedPods: "2 map Time",
      disruptionsAllowed: "3 int32 always required",
      currentHealthy: "4 int32 always required",
      desiredHealthy: "5 int32 always required",
      expectedPods: "6 int32 always required",
      conditions: "7 []meta.Condition map=type patch=merge key=type",
    },
    PodDisruptionBudgetList: {
      metadata: "1 meta.ListMeta",
      items: "2 []PodDisruptionBudget always required",
    },
    Eviction: {
      metadata: "1 meta.ObjectMeta",
      deleteOptions: "2 *meta.DeleteOptions",
    },
  },
};
