import { isTrueAt, numberAt, objectAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { cronJobColumns, jobColumns } from "../table/stored-columns.ts";
import { validateCronJob } from "../validation/validate-cron-job.ts";
import { warnOfPod } from "../validation/pod-warnings.ts";
import { jobLabels, validateJob } from "../validation/validate-job.ts";
import type { BuiltInRow } from "./define.ts";
import { withoutUngatedIn } from "./drop-ungated.ts";
import { storedOnly } from "./stored-only.ts";
import { warnOfManyIndexes } from "./warn-of-kinds.ts";
import { warnOfName } from "./warn-of-pods.ts";
import { specRaisesGeneration } from "./workload-hooks.ts";

// Kinds that this hub stores, and that nothing here works off: docs/decisions/0101.

function warnOfJob(job: KubeObject): readonly string[] {
  const spec = objectAt(job, "spec");
  const template = objectAt(spec, "template") ?? {};
  return [...warnOfName(job), ...warnOfManyIndexes(spec, "spec"), ...warnOfPod(template, "spec.template")];
}

function warnOfCronJob(cron: KubeObject): readonly string[] {
  const path = "spec.jobTemplate.spec.template";
  const indexes = warnOfManyIndexes(objectAt(cron, "spec", "jobTemplate", "spec"), "spec.jobTemplate.spec");
  return [...warnOfName(cron), ...indexes, ...warnOfPod(objectAt(cron, ...path.split(".")) ?? {}, path)];
}

const jobHooks: ResourceHooks = {
  raisesGeneration: specRaisesGeneration,
  defaultPropagation: "Orphan",
  undecidedDeleteWarning:
    "child pods are preserved by default when jobs are deleted; " +
    "set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  prepareForCreate: (job) => withoutUngatedIn(withLabelsOfTemplate(withSelector(job)), "spec.template"),
  prepareForUpdate: (job, old) => withoutUngatedIn(job, "spec.template", old),
  validate: storedOnly(validateJob, "runs Jobs", warnOfJob),
  selectableFields: { "status.successful": (job) => String(numberAt(job, "status", "succeeded") ?? 0) },
};

/** A Job without labels has those of its template, as soon as it is read again. */
function withLabelsOfTemplate(job: KubeObject): KubeObject {
  const labels = textMapAt(job, "spec", "template", "metadata", "labels");
  const isLabelled = Object.keys(job.metadata.labels ?? {}).length > 0 || Object.keys(labels).length === 0;
  return isLabelled ? job : { ...job, metadata: { ...job.metadata, labels } };
}

/** A Job selects its Pods by its own uid, unless the client chose a selector. */
function withSelector(job: KubeObject): KubeObject {
  const spec = objectAt(job, "spec") ?? {};
  if (isTrueAt(spec, "manualSelector")) return job;
  const { name = "", uid = "" } = job.metadata;
  const template = objectAt(spec, "template") ?? {};
  const generated = Object.fromEntries([
    ...jobLabels.names.map((key) => [key, name]),
    ...jobLabels.uids.map((key) => [key, uid]),
  ]) as Record<string, string>;
  const metadata = objectAt(template, "metadata");
  const labels = { ...generated, ...textMapAt(metadata, "labels") };
  const selector = objectAt(spec, "selector");
  const matchLabels = { [jobLabels.uids[1]]: uid, ...textMapAt(selector, "matchLabels") };
  // Labels that are those of the template by default have all of them, the generated ones too.
  const isDefault = job.metadata.labels !== undefined && job.metadata.labels === metadata?.["labels"];
  return {
    ...job,
    ...(isDefault ? { metadata: { ...job.metadata, labels } } : {}),
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}

export const batchRows: readonly BuiltInRow[] = [
  {
    kind: "CronJob",
    shortNames: ["cj"],
    categories: ["all"],
    subresources: ["status"],
    columns: cronJobColumns,
    hooks: {
      raisesGeneration: specRaisesGeneration,
      prepareForCreate: (cron) => withoutUngatedIn(cron, "spec.jobTemplate.spec.template"),
      prepareForUpdate: (cron, old) => withoutUngatedIn(cron, "spec.jobTemplate.spec.template", old),
      validate: storedOnly(validateCronJob, "makes Jobs of CronJobs", warnOfCronJob),
    },
  },
  {
    kind: "Job",
    categories: ["all"],
    subresources: ["status"],
    columns: jobColumns,
    hooks: jobHooks,
  },
];
