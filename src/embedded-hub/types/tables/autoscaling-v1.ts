import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, autoscaling/v1. */
export const autoscalingV1: TypeTable = {
  group: "autoscaling",
  version: "v1",
  openApiPrefix: "io.k8s.api.autoscaling.v1",
  types: {
    Scale: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 ScaleSpec",
      status: "3 ScaleStatus",
    },
    ScaleSpec: {
      replicas: "1 int32 default=0",
    },
    ScaleStatus: {
      replicas: "1 int32 always required",
      selector: "2 string",
    },
    HorizontalPodAutoscaler: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 HorizontalPodAutoscalerSpec",
      status: "3 HorizontalPodAutoscalerStatus",
    },
    HorizontalPodAutoscalerSpec: {
      scaleTargetRef: "1 CrossVersionObjectReference always required",
      minReplicas: "2 *int32",
      maxReplicas: "3 int32 always required",
      targetCPUUtilizationPercentage: "4 *int32",
    },
    CrossVersionObjectReference: {
      "@": "atomic",
      kind: "1 string always required",
      name: "2 string always required",
      apiVersion: "3 string",
    },
    HorizontalPodAutoscalerStatus: {
      observedGeneration: "1 *int64",
      lastScaleTime: "2 *Time",
      currentReplicas: "3 int32 always required",
      desiredReplicas: "4 int32 always required",
      currentCPUUtilizationPercentage: "5 *int32",
    },
    HorizontalPodAutoscalerList: {
      metadata: "1 meta.ListMeta",
      items: "2 []HorizontalPodAutoscaler always required",
    },
  },
};
