import type { JsonObject } from "../../core/json.ts";
import { humanDuration, sinceText } from "../../core/human-duration.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { ageColumn, column, integerColumn, nameColumn, selectorText } from "./column.ts";

type Columns = readonly PrinterColumn[];

function templateColumns(...path: readonly string[]): Columns {
  const texts = (object: KubeObject, field: "name" | "image"): string =>
    objectsAt(object, ...path, "template", "spec", "containers")
      .map((container) => textAt(container, field) ?? "")
      .join(",");
  return [
    column("Containers", (object) => texts(object, "name"), "wide"),
    column("Images", (object) => texts(object, "image"), "wide"),
    column("Selector", (object) => selectorText(valueAt(object, ...path, "selector")), "wide"),
  ];
}

export const jobColumns: Columns = [
  nameColumn,
  column("Status", jobState),
  column("Completions", (job) => {
    const done = numberAt(job, "status", "succeeded") ?? 0;
    const wanted = numberAt(job, "spec", "completions");
    if (wanted !== undefined) return `${done}/${wanted}`;
    const parallelism = numberAt(job, "spec", "parallelism") ?? 0;
    return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
  }),
  column("Duration", (job, nowMs) => {
    const started = textAt(job, "status", "startTime");
    const completed = textAt(job, "status", "completionTime");
    if (started === undefined) return "";
    return humanDuration((completed === undefined ? nowMs : Date.parse(completed)) - Date.parse(started));
  }),
  ageColumn,
  ...templateColumns("spec"),
];

function jobState(job: KubeObject): string {
  const conditions = objectsAt(job, "status", "conditions").filter(({ status }) => status === "True");
  const first = (...types: readonly string[]) => types.find((wanted) => conditions.some(({ type }) => type === wanted));
  const end = first("Complete", "Failed");
  if (end !== undefined) return end;
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return first("Suspended", "FailureTarget", "SuccessCriteriaMet") ?? "Running";
}

export const cronJobColumns: Columns = [
  nameColumn,
  column("Schedule", (cron) => textAt(cron, "spec", "schedule") ?? ""),
  column("Timezone", (cron) => textAt(cron, "spec", "timeZone") ?? "<none>"),
  { ...column("Suspend", (cron) => (isTrueAt(cron, "spec", "suspend") ? "True" : "False")), type: "boolean" },
  integerColumn("Active", (cron) => objectsAt(cron, "status", "active").length),
  column("Last Schedule", (cron, nowMs) => {
    const last = textAt(cron, "status", "lastScheduleTime");
    return last === undefined ? "<none>" : sinceText(last, nowMs);
  }),
  ageColumn,
  ...templateColumns("spec", "jobTemplate", "spec"),
];

export const autoscalerColumns: Columns = [
  nameColumn,
  column("Reference", (autoscaler) => {
    const target = objectAt(autoscaler, "spec", "scaleTargetRef");
    return `${textAt(target, "kind") ?? ""}/${textAt(target, "name") ?? ""}`;
  }),
  column("Targets", metricsText),
  column("MinPods", (autoscaler) => String(numberAt(autoscaler, "spec", "minReplicas") ?? "<unset>")),
  column("MaxPods", (autoscaler) => numberAt(autoscaler, "spec", "maxReplicas") ?? 0),
  column("Replicas", (autoscaler) => numberAt(autoscaler, "status", "currentReplicas") ?? 0),
  ageColumn,
];

function metricsText(autoscaler: KubeObject): string {
  const specs = objectsAt(autoscaler, "spec", "metrics");
  const current = objectsAt(autoscaler, "status", "currentMetrics");
  if (specs.length === 0) return "<none>";
  const shown = specs
    .slice(0, 2)
    .map((spec, at) => metricText(spec, current[at]))
    .join(", ");
  return specs.length > 2 ? `${shown} + ${specs.length - 2} more...` : shown;
}

const fields: ReadonlyMap<string, string> = new Map([
  ["External", "external"],
  ["Pods", "pods"],
  ["Object", "object"],
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
]);

function metricText(spec: JsonObject, status: JsonObject | undefined): string {
  const type = textAt(spec, "type") ?? "";
  const field = fields.get(type);
  if (field === undefined) return "<unknown type>";
  const target = objectAt(spec, field, "target") ?? {};
  const current = objectAt(status, field, "current");
  const now = (name: string): string => (current === undefined ? undefined : textAt(current, name)) ?? "<unknown>";
  const average = textAt(target, "averageValue");
  if (type === "Resource" || type === "ContainerResource") {
    const name = textAt(spec, field, "name") ?? "";
    if (average !== undefined) return `${name}: ${now("averageValue")}/${average}`;
    const used = numberAt(current, "averageUtilization");
    const wanted = numberAt(target, "averageUtilization");
    return `${name}: ${used === undefined ? "<unknown>" : `${used}%`}/${wanted === undefined ? "<auto>" : `${wanted}%`}`;
  }
  if (type === "Pods") return `${now("averageValue")}/${average ?? ""}`;
  if (average !== undefined) return `${now("averageValue")}/${average} (avg)`;
  return `${now("value")}/${textAt(target, "value") ?? ""}`;
}
