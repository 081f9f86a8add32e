import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, autoscaling/v2. */
export const autoscalingV2: TypeTable = {
  group: "autoscaling",
  version: "v2",
  openApiPrefix: "io.k8s.api.autoscaling.v2",
  types: {
    HorizontalPodAutoscaler: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 HorizontalPodAutoscalerSpec",
      status: "3 HorizontalPodAutoscalerStatus",
    },
    HorizontalPodAutoscalerSpec: {
      scaleTargetRef: "1 CrossVersionObjectReference always required",
      minReplicas: "2 *int32",
      maxReplicas: "3 int32 always required",
      metrics: "4 []MetricSpec atomic",
      behavior: "5 *HorizontalPodAutoscalerBehavior",
    },
    CrossVersionObjectReference: {
      kind: "1 string always required",
      name: "2 string always required",
      apiVersion: "3 string",
    },
    MetricSpec: {
      type: "1 string always required",
      object: "2 *ObjectMetricSource",
      pods: "3 *PodsMetricSource",
      resource: "4 *ResourceMetricSource",
      containerResource: "7 *ContainerResourceMetricSource",
      external: "5 *ExternalMetricSource",
    },
    ObjectMetricSource: {
      describedObject: "1 CrossVersionObjectReference always required",
      target: "2 MetricTarget always required",
      metric: "3 MetricIdentifier always required",
    },
    MetricTarget: {
      type: "1 string always required",
      value: "2 *Quantity",
      averageValue: "3 *Quantity",
      averageUtilization: "4 *int32",
    },
    MetricIdentifier: {
      name: "1 string always required",
      selector: "2 *meta.LabelSelector",
    },
    PodsMetricSource: {
      metric: "1 MetricIdentifier always required",
      target: "2 MetricTarget always required",
    },
    ResourceMetricSource: {
      name: "1 string always required",
      target: "2 MetricTarget always required",
    },
    ContainerResourceMetricSource: {
      name: "1 string always required",
      target: "2 MetricTarget always required",
      container: "3 string always required",
    },
    ExternalMetricSource: {
      metric: "1 MetricIdentifier always required",
      target: "2 MetricTarget always required",
    },
    HorizontalPodAutoscalerBehavior: {
      scaleUp: "1 *HPAScalingRules",
      scaleDown: "2 *HPAScalingRules",
    },
    HPAScalingRules: {
      stabilizationWindowSeconds: "3 *int32",
      selectPolicy: "1 *string",
      policies: "2 []HPAScalingPolicy atomic",
      tolerance: "4 *Quantity",
    },
    HPAScalingPolicy: {
      type: "1 string always required",
      value: "2 int32 always required",
      periodSeconds: "3 int32 always required",
    },
    HorizontalPodAutoscalerStatus: {
      observedGeneration: "1 *int64",
      lastScaleTime: "2 *Time",
      currentReplicas: "3 int32",
      desiredReplicas: "4 int32 always required",
      currentMetrics: "5 []MetricStatus always atomic",
      conditions: "6 []HorizontalPodAutoscalerCondition map=type patch=merge key=type",
    },
    MetricStatus: {
      type: "1 string always required",
      object: "2 *ObjectMetricStatus",
      pods: "3 *PodsMetricStatus",
      resource: "4 *ResourceMetricStatus",
      containerResource: "7 *ContainerResourceMetricStatus",
      external: "5 *ExternalMetricStatus",
    },
    ObjectMetricStatus: {
      metric: "1 MetricIdentifier always required",
      current: "2 MetricValueStatus always required",
      describedObject: "3 CrossVersionObjectReference always required",
    },
    MetricValueStatus: {
      value: "1 *Quantity",
      averageValue: "2 *Quantity",
      averageUtilization: "3 *int32",
    },
    PodsMetricStatus: {
      metric: "1 MetricIdentifier always required",
      current: "2 MetricValueStatus always required",
    },
    ResourceMetricStatus: {
      name: "1 string always required",
      current: "2 MetricValueStatus always required",
    },
    ContainerResourceMetricStatus: {
      name: "1 string always required",
      current: "2 MetricValueStatus always required",
      container: "3 string always required",
    },
    ExternalMetricStatus: {
      metric: "1 MetricIdentifier always required",
      current: "2 MetricValueStatus always required",
    },
    HorizontalPodAutoscalerCondition: {
      type: "1 string always required",
      status: "2 string always required",
      lastTransitionTime: "3 Time",
      reason: "4 string",
      message: "5 string",
    },
    HorizontalPodAutoscalerList: {
      metadata: "1 meta.ListMeta",
      items: "2 []HorizontalPodAutoscaler always required",
    },
  },
};
