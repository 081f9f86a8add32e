import type { JsonObject } from "../../core/json.ts";
import { toNewAutoscaler, toOldAutoscaler } from "./autoscaler-forms.ts";
import type { DefaultRule } from "./default-rule.ts";
import { isEmptyObject, objectAt, textAt, withMissing } from "./default-rule.ts";

/** apps, batch and autoscaling. */
export const appsDefaults: Readonly<Record<string, DefaultRule>> = {
  "apps.Deployment": (deployment) => {
    const spec = withMissing(objectAt(deployment, "spec"), {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    const strategy = completeRollingUpdate(objectAt(spec, "strategy"), { maxUnavailable: "25%", maxSurge: "25%" });
    return { ...deployment, spec: { ...spec, strategy } };
  },
  "apps.ReplicaSet": (set) => ({ ...set, spec: withMissing(objectAt(set, "spec"), { replicas: 1 }) }),
  "apps.DaemonSet": (set) => {
    const spec = withMissing(objectAt(set, "spec"), { revisionHistoryLimit: 10 });
    const strategy = completeRollingUpdate(objectAt(spec, "updateStrategy"), { maxUnavailable: 1, maxSurge: 0 });
    return { ...set, spec: { ...spec, updateStrategy: strategy } };
  },
  "apps.StatefulSet": completeStatefulSet,
  "batch.Job": (job) => {
    const spec = completeJobSpec(objectAt(job, "spec"));
    const metadata = objectAt(job, "metadata");
    const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
    return { ...job, metadata: isEmptyObject(labels) ? metadata : withMissing(metadata, { labels }), spec };
  },
  "batch.CronJobSpec": (spec) =>
    withMissing(spec, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
  "batch.PodFailurePolicyOnPodConditionsPattern": (pattern) =>
    textAt(pattern, "status") === "" ? { ...pattern, status: "True" } : pattern,
  // What v2 has by default, v1 has too.
  "autoscaling.HorizontalPodAutoscaler": (autoscaler) => toOldAutoscaler(toNewAutoscaler(autoscaler)),
  "autoscaling.HorizontalPodAutoscalerSpec": (spec) => withMissing(spec, { minReplicas: 1 }),
  "autoscaling2.HorizontalPodAutoscalerSpec": (spec) => {
    const metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
    return withMissing(spec, { minReplicas: 1, metrics });
  },
  "autoscaling2.HorizontalPodAutoscalerBehavior": (behavior) => ({
    ...behavior,
    scaleUp: withMissing(objectAt(behavior, "scaleUp"), {
      stabilizationWindowSeconds: 0,
      selectPolicy: "Max",
      policies: [
        { type: "Pods", value: 4, periodSeconds: 15 },
        { type: "Percent", value: 100, periodSeconds: 15 },
      ],
    }),
    scaleDown: withMissing(objectAt(behavior, "scaleDown"), {
      selectPolicy: "Max",
      policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    }),
  }),
};

function completeRollingUpdate(
  given: JsonObject,
  values: { readonly maxUnavailable: string | number; readonly maxSurge: string | number },
): JsonObject {
  const strategy = withMissing(given, { type: "RollingUpdate" });
  if (strategy["type"] !== "RollingUpdate") return strategy;
  return { ...strategy, rollingUpdate: withMissing(objectAt(strategy, "rollingUpdate"), values) };
}

function completeStatefulSet(set: JsonObject): JsonObject {
  const spec = withMissing(objectAt(set, "spec"), {
    podManagementPolicy: "OrderedReady",
    replicas: 1,
    revisionHistoryLimit: 10,
  });
  const given = objectAt(spec, "updateStrategy");
  const strategy =
    textAt(given, "type") === "" ? withMissing(given, { type: "RollingUpdate", rollingUpdate: {} }) : given;
  const isRolling = strategy["type"] === "RollingUpdate" && (strategy["rollingUpdate"] ?? null) !== null;
  const updateStrategy = isRolling
    ? { ...strategy, rollingUpdate: withMissing(objectAt(strategy, "rollingUpdate"), { partition: 0 }) }
    : strategy;
  const retention = withMissing(objectAt(spec, "persistentVolumeClaimRetentionPolicy"), {
    whenDeleted: "Retain",
    whenScaled: "Retain",
  });
  return { ...set, spec: { ...spec, updateStrategy, persistentVolumeClaimRetentionPolicy: retention } };
}

function completeJobSpec(given: JsonObject): JsonObject {
  const isSingle = (given["completions"] ?? null) === null && (given["parallelism"] ?? null) === null;
  const isPerIndex = (given["backoffLimitPerIndex"] ?? null) !== null;
  const hasFailurePolicy = (given["podFailurePolicy"] ?? null) !== null;
  return withMissing(given, {
    ...(isSingle ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: isPerIndex ? 2_147_483_647 : 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: hasFailurePolicy ? "Failed" : "TerminatingOrFailed",
    manualSelector: false,
  });
}
