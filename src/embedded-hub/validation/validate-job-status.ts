import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { duplicate, invalid, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { nonNegative } from "./checks.ts";
import { readIndexes, sharedIndex } from "./job-indexes.ts";
import { withoutValue } from "./validate-job-policies.ts";

// Source of this file: Kubernetes, pkg/apis/batch/validation and registry/batch/job.

/** Enough for 100,000 completions; an API server has no such bound. */
const longestIndexes = 512 * 1024;
const conditionTypes = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "Suspended"] as const;
type Conditions = Readonly<Record<(typeof conditionTypes)[number], boolean>>;

interface State extends Conditions {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly isFinished: boolean;
}

function stateOf(job: KubeObject): State {
  const conditions = objectsAt(job, "status", "conditions").filter(({ status }) => status === "True");
  const has = (name: string): boolean => conditions.some(({ type }) => type === name);
  const isFinished = has("Complete") || has("Failed");
  const flags = Object.fromEntries(conditionTypes.map((name) => [name, has(name)])) as Conditions;
  return { spec: objectAt(job, "spec") ?? {}, status: objectAt(job, "status") ?? {}, isFinished, ...flags };
}

/** What is wrong with a new status of a Job: most is asked only where it changed. */
export function validateJobStatus(job: KubeObject, oldJob: KubeObject): FieldError[] {
  const now = stateOf(job);
  const old = stateOf(oldJob);
  const changed = (name: string): boolean => !isJsonEqual(now.status[name] ?? null, old.status[name] ?? null);
  return [
    ...nonNegative(now.status, "status", "active", "succeeded", "failed", "ready", "terminating"),
    ...validateUncounted(now.status),
    ...validateConditions(now, old),
    ...validateTimes(now, old, changed),
    ...validateFinished(now, old, changed),
    ...validateIndexes(now, changed),
    ...validateSteps(now, old),
  ];
}

function validateUncounted(status: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return ["succeeded", "failed"].flatMap((field) =>
    textsAt(status, "uncountedTerminatedPods", field).flatMap((uid, at) => {
      const path = `status.uncountedTerminatedPods.${field}[${at}]`;
      if (uid === "") return [invalid(path, uid, "must not be empty")];
      return seen.size === seen.add(uid).size ? [duplicate(path, uid)] : [];
    }),
  );
}

/** Checks of pairs of conditions, each with its message. */
function validateConditions(now: State, old: State): FieldError[] {
  const differs = (...names: readonly (keyof Conditions)[]): boolean => names.some((name) => now[name] !== old[name]);
  const failedIndexes = now.status["failedIndexes"] !== old.status["failedIndexes"];
  const hasPolicy = objectAt(now.spec, "successPolicy") !== undefined;
  const isUnmet = now.Complete && !now.SuccessCriteriaMet;
  const rules: readonly (readonly [boolean, string])[] = [
    [
      differs("Complete", "Failed") && now.Complete && now.Failed,
      "cannot set Complete=True and Failed=true conditions",
    ],
    [
      differs("Complete", "FailureTarget") && now.Complete && now.FailureTarget,
      "cannot set Complete=True and FailureTarget=true conditions",
    ],
    [
      (differs("Failed") || failedIndexes) && now.Failed && !now.FailureTarget,
      "cannot set Failed=True condition without the FailureTarget=true condition",
    ],
    [
      differs("Complete", "SuccessCriteriaMet") && isUnmet,
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ],
    [now.SuccessCriteriaMet && now.Failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions"],
    [
      now.SuccessCriteriaMet && now.FailureTarget,
      "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
    ],
    [hasPolicy && isUnmet, "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"],
    ...(["Failed", "Complete", "FailureTarget"] as const).map(
      (name) => [old[name] && !now[name], `cannot disable the terminal ${name}=True condition`] as const,
    ),
    [old.SuccessCriteriaMet && !now.SuccessCriteriaMet, "cannot disable the SuccessCriteriaMet=True condition"],
    [
      old.Complete && !old.SuccessCriteriaMet && now.SuccessCriteriaMet,
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, text]) => withoutValue("status.conditions", text));
}

type Changed = (name: string) => boolean;

function validateTimes(now: State, old: State, changed: Changed): FieldError[] {
  const started = textAt(now.status, "startTime");
  const completed = textAt(now.status, "completionTime");
  const oldCompleted = textAt(old.status, "completionTime");
  const isAsked = now.Complete !== old.Complete || changed("completionTime");
  const isEarly = (changed("startTime") || changed("completionTime")) && started !== undefined;
  const isResumed =
    old.Suspended &&
    objectsAt(now.status, "conditions").some(({ type, status }) => type === "Suspended" && status === "False");
  const isRestarted =
    changed("startTime") && old.status["startTime"] !== undefined && !isTrueAt(now.spec, "suspend") && !isResumed;
  const field = "status.completionTime";
  const without = "cannot set completionTime when there is no Complete=True condition";
  return [
    ...(isAsked && completed !== undefined && !now.Complete ? [invalid(field, completed, without)] : []),
    ...(isAsked && completed === undefined && now.Complete
      ? [required(field, "completionTime is required for Complete jobs")]
      : []),
    ...(isEarly && completed !== undefined && Date.parse(completed) < Date.parse(started)
      ? [invalid(field, completed, "must be equal to or after `startTime`")]
      : []),
    ...(completed !== undefined && oldCompleted !== undefined && completed !== oldCompleted
      ? [invalid(field, completed, "field is immutable")]
      : []),
    ...(isRestarted ? [required("status.startTime", "startTime cannot be removed for unsuspended job")] : []),
  ];
}

function validateFinished(now: State, old: State, changed: Changed): FieldError[] {
  const { status, spec, isFinished } = now;
  const isAsked = (name: string): boolean => isFinished && (isFinished !== old.isFinished || changed(name));
  const count = (name: string): number => numberAt(status, name) ?? 0;
  const uncounted = objectAt(status, "uncountedTerminatedPods");
  const isUncounted = ["succeeded", "failed"].some((field) => textsAt(uncounted, field).length > 0);
  const neverRan = isTrueAt(spec, "suspend") && numberAt(spec, "completions") === 0;
  const errors: FieldError[] = [];
  if (isAsked("active") && count("active") > 0) {
    errors.push(invalid("status.active", count("active"), "active>0 is invalid for finished job"));
  }
  if (isAsked("startTime") && !neverRan && status["startTime"] === undefined) {
    errors.push(required("status.startTime", "startTime is required for finished job"));
  }
  if (isAsked("uncountedTerminatedPods") && isUncounted) {
    errors.push(invalid("status.uncountedTerminatedPods", uncounted ?? null, "must be empty for finished job"));
  }
  if (isAsked("terminating") && count("terminating") > 0) {
    errors.push(invalid("status.terminating", count("terminating"), "terminating>0 is invalid for finished job"));
  }
  if ((changed("ready") || changed("active")) && count("ready") > count("active")) {
    errors.push(invalid("status.ready", count("ready"), "cannot set more ready pods than active"));
  }
  return errors;
}

function validateIndexes({ spec, status }: State, changed: Changed): FieldError[] {
  const completions = numberAt(spec, "completions");
  const completed = textAt(status, "completedIndexes") ?? "";
  const failed = textAt(status, "failedIndexes");
  const isPerIndex = numberAt(spec, "backoffLimitPerIndex") !== undefined;
  if (!changed("failedIndexes") && !changed("completedIndexes")) return [];
  const long = ["completedIndexes", "failedIndexes"].filter(
    (name) => (textAt(status, name) ?? "").length > longestIndexes,
  );
  if (long.length > 0) return long.map((name) => tooLong(`status.${name}`, longestIndexes));
  const [readCompleted, readFailed] = [completed, failed ?? ""].map((text) => readIndexes(text, completions ?? 0));
  const errors: FieldError[] = [];
  if (changed("completedIndexes")) {
    const field = "status.completedIndexes";
    const text = "cannot set non-empty completedIndexes when non-indexed completion mode";
    if (completions !== undefined && typeof readCompleted === "string") {
      errors.push(invalid(field, completed, `error parsing completedIndexes: ${readCompleted}`));
    }
    if (completed !== "" && textAt(spec, "completionMode") !== "Indexed") errors.push(invalid(field, completed, text));
  }
  const field = "status.failedIndexes";
  if (changed("failedIndexes") && failed !== undefined) {
    if (completions !== undefined && isPerIndex && typeof readFailed === "string") {
      errors.push(invalid(field, failed, `error parsing failedIndexes: ${readFailed}`));
    }
    const text = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    if (!isPerIndex) errors.push(invalid(field, failed, text));
  }
  const isBoth = typeof readCompleted === "object" && typeof readFailed === "object" && completions !== undefined;
  if (isBoth) {
    const shared = sharedIndex(readCompleted, readFailed);
    const text = `failedIndexes and completedIndexes overlap at index: ${shared ?? ""}`;
    if (shared !== undefined) errors.push(invalid(field, failed ?? "", text));
  }
  return errors;
}

/** Counts that only grow. */
function validateSteps({ spec, status }: State, old: State): FieldError[] {
  const isElastic =
    textAt(spec, "completionMode") === "Indexed" &&
    isJsonEqual(spec["completions"] ?? null, spec["parallelism"] ?? null);
  return ["failed", ...(isElastic ? [] : ["succeeded"])].flatMap((name) => {
    const value = numberAt(status, name) ?? 0;
    if (value >= (numberAt(old.status, name) ?? 0)) return [];
    return [invalid(`status.${name}`, value, `cannot decrease the ${name} counter`)];
  });
}
