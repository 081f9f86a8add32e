import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, batch/v1. */
export const batchV1: TypeTable = {
  group: "batch",
  version: "v1",
  openApiPrefix: "io.k8s.api.batch.v1",
  types: {
    Job: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 JobSpec",
      status: "3 JobStatus",
    },
    JobSpec: {
      parallelism: "1 *int32",
      completions: "2 *int32",
      activeDeadlineSeconds: "3 *int64",
      podFailurePolicy: "11 *PodFailurePolicy",
      successPolicy: "16 *SuccessPolicy",
      backoffLimit: "7 *int32",
      backoffLimitPerIndex: "12 *int32",
      maxFailedIndexes: "13 *int32",
      selector: "4 *meta.LabelSelector",
      manualSelector: "5 *bool",
      template: "6 core.PodTemplateSpec always required",
      ttlSecondsAfterFinished: "8 *int32",
      completionMode: "9 *string enum=Indexed,NonIndexed",
      suspend: "10 *bool",
      podReplacementPolicy: "14 *string enum=Failed,TerminatingOrFailed",
      managedBy: "15 *string",
    },
    PodFailurePolicy: {
      rules: "1 []PodFailurePolicyRule always required atomic",
    },
    PodFailurePolicyRule: {
      action: "1 string always required enum=Count,FailIndex,FailJob,Ignore",
      onExitCodes: "2 *PodFailurePolicyOnExitCodesRequirement",
      onPodConditions: "3 []PodFailurePolicyOnPodConditionsPattern atomic",
    },
    PodFailurePolicyOnExitCodesRequirement: {
      containerName: "1 *string",
      operator: "2 string always required enum=In,NotIn",
      values: "3 []int32 always required set",
    },
    PodFailurePolicyOnPodConditionsPattern: {
      type: "1 string always required",
      status: "2 string always required",
    },
    SuccessPolicy: {
      rules: "1 []SuccessPolicyRule always required atomic",
    },
    SuccessPolicyRule: {
      succeededIndexes: "1 *string",
      succeededCount: "2 *int32",
    },
    JobStatus: {
      conditions: "1 []JobCondition atomic patch=merge key=type",
      startTime: "2 *Time",
      completionTime: "3 *Time",
      active: "4 int32",
      succeeded: "5 int32",
      failed: "6 int32",
      terminating: "11 *int32",
      completedIndexes: "7 string",
      failedIndexes: "10 *string",
      uncountedTerminatedPods: "8 *UncountedTerminatedPods",
      ready: "9 *int32",
    },
    JobCondition: {
      type: "1 string always required",
      status: "2 string always required",
      lastProbeTime: "3 Time",
      lastTransitionTime: "4 Time",
      reason: "5 string",
      message: "6 string",
    },
    UncountedTerminatedPods: {
      succeeded: "1 []string set",
      failed: "2 []string set",
    },
    JobList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Job always required",
    },
    CronJob: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 CronJobSpec",
      status: "3 CronJobStatus",
    },
    CronJobSpec: {
      schedule: "1 string always required",
      timeZone: "8 *string",
      startingDeadlineSeconds: "2 *int64",
      concurrencyPolicy: "3 string enum=Allow,Forbid,Replace",
      suspend: "4 *bool",
      jobTemplate: "5 JobTemplateSpec always required",
      successfulJobsHistoryLimit: "6 *int32",
      failedJobsHistoryLimit: "7 *int32",
    },
    JobTemplateSpec: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 JobSpec",
    },
    CronJobStatus: {
      active: "1 []core.ObjectReference atomic",
      lastScheduleTime: "4 *Time",
      lastSuccessfulTime: "5 *Time",
    },
    CronJobList: {
      metadata: "1 meta.ListMeta",
      items: "2 []CronJob always required",
    },
  },
};
