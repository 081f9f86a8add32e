import type { JsonObject } from "../../core/json.ts";
import { isTimeZone } from "../../core/formats/time-zones.ts";
import { isTrueAt, objectAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { invalid, notSupported, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { nonNegative } from "./checks.ts";
import { faultOfSchedule } from "./cron-schedule.ts";
import { validateJobSpec } from "./validate-job.ts";

// Source of this file: Kubernetes, pkg/apis/batch/validation.

const policies = ["Allow", "Forbid", "Replace"];
/** The names of its Jobs end with 11 characters more. */
const longestName = 52;
/** An API server has no such bound. */
const longestSchedule = 64 * 1024;

/** What is wrong with a CronJob, or with its change. */
export function validateCronJob(
  cron: KubeObject,
  old: KubeObject | undefined,
  { subresource }: { readonly subresource?: string } = {},
): FieldError[] {
  if (subresource === "status") return [];
  const spec = objectAt(cron, "spec") ?? {};
  const { name = "" } = cron.metadata;
  const policy = textAt(spec, "concurrencyPolicy") ?? "";
  const isZoneKept = old !== undefined && textAt(old, "spec", "timeZone") === textAt(spec, "timeZone");
  return [
    ...validateSchedule(spec, textAt(old, "spec", "schedule")?.includes("TZ") === true),
    ...nonNegative(spec, "spec", "startingDeadlineSeconds"),
    ...(isZoneKept ? [] : validateZone(textAt(spec, "timeZone"))),
    ...(policy === "" ? [required("spec.concurrencyPolicy")] : []),
    ...(policy === "" || policies.includes(policy) ? [] : [notSupported("spec.concurrencyPolicy", policy, policies)]),
    ...validateTemplate(objectAt(spec, "jobTemplate", "spec") ?? {}, "spec.jobTemplate.spec"),
    ...nonNegative(spec, "spec", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"),
    ...(old === undefined && name.length > longestName
      ? [invalid("metadata.name", name, `must be no more than ${longestName} characters`)]
      : []),
  ];
}

function validateSchedule(spec: JsonObject, mayHaveZone: boolean): FieldError[] {
  const field = "spec.schedule";
  const schedule = textAt(spec, "schedule") ?? "";
  if (schedule === "") return [required(field)];
  if (schedule.length > longestSchedule) return [tooLong(field, longestSchedule)];
  const fault = faultOfSchedule(schedule);
  const errors = fault === undefined ? [] : [invalid(field, schedule, fault)];
  if (!schedule.includes("TZ")) return errors;
  if (!mayHaveZone) {
    errors.push(invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  } else if (spec["timeZone"] !== undefined) {
    errors.push(invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  }
  return errors;
}

function validateZone(zone: string | undefined): FieldError[] {
  const field = "spec.timeZone";
  if (zone === undefined) return [];
  if (zone === "") return [invalid(field, zone, "timeZone must be nil or non-empty string")];
  const isOdd = zone
    .split("/")
    .some((part) => part === "." || part === ".." || part.startsWith("-") || !/^[A-Za-z.\-_0-9+]{1,14}$/u.test(part));
  if (isOdd) return [invalid(field, zone, `unknown time zone ${zone}`)];
  if (zone.toLowerCase() === "local") {
    const text = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    return [
      invalid(field, zone, text),
      ...(zone === "Local" ? [] : [invalid(field, zone, `unknown time zone ${zone}`)]),
    ];
  }
  return isTimeZone(zone) ? [] : [invalid(field, zone, `unknown time zone ${zone}`)];
}

/** The selector of its Jobs is made for them. */
function validateTemplate(spec: JsonObject, path: string): FieldError[] {
  const selector = objectAt(spec, "selector");
  return [
    ...validateJobSpec(spec, path),
    ...(selector === undefined ? [] : [invalid(`${path}.selector`, selector, "`selector` will be auto-generated")]),
    ...(isTrueAt(spec, "manualSelector") ? [notSupported(`${path}.manualSelector`, true, ["nil", "false"])] : []),
  ];
}
