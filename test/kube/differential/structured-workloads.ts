import type { JsonObject } from "../../../src/core/json.ts";

/** A kind whose structure is tried, and a valid object of it with nearly every field. */
export interface StructuredKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** `NS` is the placeholder of the namespace. */
  readonly collection: string;
  readonly content: JsonObject;
  /** What a change writes. Default: the object. */
  readonly subresource?: "approval" | "status";
  /** Few of its changes are taken, or none. */
  readonly isStrict?: boolean;
}

const labels = { app: "a" };
const template = {
  metadata: { labels },
  spec: { restartPolicy: "Never", containers: [{ name: "a", image: "none" }] },
};
const indexed = {
  completionMode: "Indexed",
  completions: 5,
  parallelism: 2,
  backoffLimit: 3,
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 2,
  activeDeadlineSeconds: 100,
  ttlSecondsAfterFinished: 10,
  podReplacementPolicy: "Failed",
  podFailurePolicy: {
    rules: [
      { action: "FailJob", onExitCodes: { containerName: "a", operator: "In", values: [1, 2] } },
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    ],
  },
  successPolicy: { rules: [{ succeededIndexes: "0,2-3", succeededCount: 1 }] },
  template,
};

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
  strict("Job", {
    spec: {
      ...indexed,
      suspend: true,
      manualSelector: true,
      selector: { matchLabels: labels },
      managedBy: "example.org/none",
    },
  }),
  strict("Job", {
    spec: { suspend: true, manualSelector: true, selector: { matchLabels: labels }, completions: 3, template },
  }),
  {
    ...strict("Job", {
      spec: {
        ...indexed,
        suspend: true,
        manualSelector: true,
        selector: { matchLabels: labels },
        managedBy: "a.org/a",
      },
      status: {
        active: 2,
        ready: 1,
        succeeded: 1,
        failed: 1,
        terminating: 0,
        completedIndexes: "1,3-4",
        failedIndexes: "0",
        startTime: "2026-01-02T03:04:05Z",
        completionTime: "2026-01-02T03:04:06Z",
        uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] },
        conditions: ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "Suspended"].map((type) => ({
          type,
          status: "True",
        })),
      },
    }),
    subresource: "status",
  },
  strict("CronJob", {
    spec: {
      schedule: "*/5 1-3 1,15 jan-mar mon",
      timeZone: "Europe/Berlin",
      suspend: true,
      startingDeadlineSeconds: 10,
      concurrencyPolicy: "Forbid",
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: indexed },
    },
  }),
  named("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        {
          type: "ContainerResource",
          containerResource: { name: "memory", container: "a", target: { type: "AverageValue", averageValue: "1Gi" } },
        },
        { type: "Pods", pods: { metric: { name: "a" }, target: { type: "AverageValue", averageValue: "1" } } },
        {
          type: "Object",
          object: {
            describedObject: { apiVersion: "v1", kind: "Service", name: "a" },
            metric: { name: "a", selector: { matchLabels: labels } },
            target: { type: "Value", value: "2" },
          },
        },
        { type: "External", external: { metric: { name: "a" }, target: { type: "Value", value: "2" } } },
      ],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 10,
          selectPolicy: "Min",
          policies: [
            { type: "Pods", value: 4, periodSeconds: 15 },
            { type: "Percent", value: 4, periodSeconds: 15 },
          ],
        },
        scaleDown: {
          policies: [
            { type: "Percent", value: 4, periodSeconds: 15 },
            { type: "Pods", value: 4, periodSeconds: 15 },
          ],
        },
      },
    },
  }),
];

function named(apiVersion: string, kind: string, plural: string, content: JsonObject): StructuredKind {
  const path = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return { apiVersion, kind, collection: `${path}/namespaces/NS/${plural}`, content };
}

function strict(kind: string, content: JsonObject): StructuredKind {
  return { ...named("batch/v1", kind, `${kind.toLowerCase()}s`, content), isStrict: true };
}

/** Values of their fields, good and bad. */
export const workloadTexts = [
  ...["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass", "VolumeAttributesClass"],
  ...[
    "Indexed",
    "NonIndexed",
    "TerminatingOrFailed",
    "Count",
    "FailIndex",
    "Never",
    "OnFailure",
    "Always",
    "1-2,2",
    "0-9",
  ],
  ...[
    "* * * * *",
    "@daily",
    "@every 1h",
    "60 * * * *",
    "1-x * * * *",
    "TZ=UTC * * * * *",
    "Local",
    "Utilization",
    "Value",
  ],
];
