import type { Request } from "./replay.ts";
import type { WrittenRequest } from "./written-sequences.ts";

const ofVersion = (version: string): string => `/apis/autoscaling/${version}/namespaces/NS/horizontalpodautoscalers`;
const [oldForm, newForm] = [ofVersion("v1"), ofVersion("v2")];
const prefix = "autoscaling.alpha.kubernetes.io/";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "no-such" };
const selector = { matchLabels: { a: "<b>" } };
const describedObject = { apiVersion: "v1", kind: "Service", name: "a" };
const metrics = [
  {
    type: "Object",
    object: { describedObject, metric: { name: "a", selector }, target: { type: "Value", value: "1" } },
  },
  {
    type: "Object",
    object: { describedObject, metric: { name: "a" }, target: { type: "AverageValue", averageValue: "1500m" } },
  },
  { type: "Pods", pods: { metric: { name: "b" }, target: { type: "AverageValue", averageValue: "2" } } },
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 42 } } },
  { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
  {
    type: "ContainerResource",
    containerResource: { container: "a", name: "cpu", target: { type: "Utilization", averageUtilization: 5 } },
  },
  { type: "External", external: { metric: { name: "c", selector }, target: { type: "Value", value: "3" } } },
  { type: "External", external: { metric: { name: "c" }, target: { type: "AverageValue", averageValue: "3" } } },
];
/** The same as v1 has them. */
const oldMetrics = [
  { type: "Object", object: { target: describedObject, metricName: "a", targetValue: "1", selector } },
  { type: "Object", object: { target: describedObject, metricName: "a", averageValue: "1.5" } },
  { type: "Pods", pods: { metricName: "b", targetAverageValue: "2000m" } },
  { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
  { type: "ContainerResource", containerResource: { container: "a", name: "cpu", targetAverageUtilization: 5 } },
  { type: "External", external: { metricName: "c", metricSelector: selector, targetValue: "3" } },
  { type: "External", external: { metricName: "c", targetAverageValue: "3" } },
];

function post(path: string, name: string, content: object, annotations: object = {}): Request {
  return { method: "POST", path: `${path}?dryRun=All`, body: { metadata: { name, annotations }, ...content } };
}

const owners = { view: "owners" } as const;

function apply(version: string, content: object): WrittenRequest {
  const path = `${ofVersion(version)}/applied`;
  const body = {
    apiVersion: `autoscaling/${version}`,
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "applied" },
    spec: { ...spec, ...content },
  };
  const query = "?fieldManager=one";
  return { method: "PATCH", path: `${path}${query}`, contentType: "application/apply-patch+yaml", body, ...owners };
}

const spec = { scaleTargetRef, maxReplicas: 4 };
/** Annotations that v1 may have, and those that cannot be read. */
const annotations: readonly (readonly [string, object])[] = [
  ["metrics", { metrics: JSON.stringify(oldMetrics) }],
  ["read", { behavior: '{"scaleUp":{"Policies":[{"Type":"Pods","Value":2,"PeriodSeconds":5}]}}', other: "a" }],
  ["odd", { behavior: "[]", metrics: "{}", conditions: '"a"', "current-metrics": "{", "scale-up-tolerance": "1" }],
  ["wrong", { behavior: '{"ScaleUp":{"StabilizationWindowSeconds":"a"}}', metrics: '[{"type":1}]' }],
  ["empty", { behavior: "{}", metrics: "[]", conditions: "[]", "current-metrics": "[]" }],
  ["refused", { metrics: '[{"type":"Pods","pods":{"metricName":""}}]' }],
  ["status", { conditions: '[{"type":"A","status":"True","lastTransitionTime":null}]' }],
];
const prefixed = (texts: object): object =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [`${prefix}${key}`, text as string]));

/** Autoscalers in both of their forms. Status is not compared: a controller of kube-apiserver's cluster writes it. */
export const autoscalerRequests: readonly WrittenRequest[] = [
  post(newForm, "full", { spec: { ...spec, metrics } }, { a: "b" }),
  post(oldForm, "plain", { spec }),
  post(oldForm, "bad", { spec: { ...spec, targetCPUUtilizationPercentage: 0 } }),
  ...annotations.map(([name, texts]) => post(oldForm, name, { spec }, prefixed(texts))),
  apply("v1", { targetCPUUtilizationPercentage: 9 }),
  apply("v2", { metrics }),
  apply("v1", {}),
  apply("v2", { maxReplicas: 5 }),
  ...[oldForm, newForm].map((path): WrittenRequest => ({ method: "GET", path: `${path}/applied`, ...owners })),
];
