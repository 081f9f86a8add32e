import { compareNames } from "../../core/compare-names.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, textAt, textMapAt } from "../../core/read-json.ts";
import { checkLabel } from "../../core/formats/kube-names.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { invalid, invalidStruct, keyPath, notSupported, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { matchesSelector } from "../selectors/object-selector.ts";
import { validateLabelSelector } from "../selectors/validate-label-selector.ts";
import { immutable, nonNegative } from "./checks.ts";
import { validateDomainPath } from "./checks-network.ts";
import { validateFailurePolicy, validateSuccessPolicy } from "./validate-job-policies.ts";
import { validateJobStatus } from "./validate-job-status.ts";
import { validateTemplateSpec } from "./validate-workload.ts";

// Source of this file: Kubernetes, pkg/apis/batch/validation.

const most = 100_000;
const mostOfMany = 10_000;
const longestManager = 63;
export const jobLabels = {
  names: ["job-name", "batch.kubernetes.io/job-name"],
  uids: ["controller-uid", "batch.kubernetes.io/controller-uid"],
} as const;

/** What is wrong with a Job, or with the change of it or its status. */
export function validateJob(
  job: KubeObject,
  old: KubeObject | undefined,
  { subresource }: { readonly subresource?: string } = {},
): FieldError[] {
  if (subresource === "status") return old === undefined ? [] : validateJobStatus(job, old);
  const spec = objectAt(job, "spec") ?? {};
  const errors = [
    ...validateGenerated(job, spec, old),
    ...validateSelectedSpec(spec),
    ...validateHostname(job.metadata.name ?? "", spec),
  ];
  if (old === undefined) return errors;
  // An API server validates the spec again when it was changed.
  return [...errors, ...validateSelectedSpec(spec), ...validateChange(spec, objectAt(old, "spec") ?? {}, old)];
}

/** The selector and the labels by which a Job knows its Pods, unless the client chose them. */
function validateGenerated(job: KubeObject, spec: JsonObject, old: KubeObject | undefined): FieldError[] {
  const selector = objectAt(spec, "selector");
  if (isTrueAt(spec, "manualSelector") || selector === undefined) return [];
  const { name = "", uid = "" } = job.metadata;
  const labels = textMapAt(spec, "template", "metadata", "labels");
  const had = textMapAt(old, "spec", "template", "metadata", "labels");
  const isFull = old === undefined || [jobLabels.names[1], jobLabels.uids[1]].every((key) => Object.hasOwn(had, key));
  const wanted = [jobLabels.uids, jobLabels.names].map((keys, at) => keys.map((key) => [key, at === 0 ? uid : name]));
  const expected = wanted.flatMap((pairs) => (isFull ? pairs : pairs.slice(0, 1)));
  const isGenerated =
    validateLabelSelector(selector, "").length > 0 || matchesSelector(selector, Object.fromEntries(expected) as never);
  return [
    ...expected.flatMap(([key = "", value = ""]) => {
      const field = keyPath("spec.template.metadata.labels", key);
      if (!Object.hasOwn(labels, key)) return [required(field, `must be '${value}'`)];
      return labels[key] === value ? [] : [invalid(field, { ...labels }, `must be '${value}'`)];
    }),
    ...(isGenerated ? [] : [invalidStruct("spec.selector", asPrinted(selector), "`selector` not auto-generated")]),
  ];
}

/** In the order of the fields of the type; labels by their names. */
function asPrinted(selector: JsonObject): JsonObject {
  const { matchLabels, matchExpressions } = selector;
  const labels = Object.entries(textMapAt(selector, "matchLabels")).sort(([a], [b]) => compareNames(a, b));
  return {
    ...(matchLabels === undefined ? {} : { matchLabels: Object.fromEntries(labels) }),
    ...(matchExpressions === undefined ? {} : { matchExpressions }),
  };
}

function validateSelectedSpec(spec: JsonObject): FieldError[] {
  const selector = objectAt(spec, "selector");
  const errors =
    selector === undefined ? [required("spec.selector")] : validateLabelSelector(selector, "spec.selector");
  const labels = textMapAt(spec, "template", "metadata", "labels");
  const isMismatch = (selector === undefined || errors.length === 0) && !matchesSelector(selector, labels);
  const shown: Json = Object.keys(labels).length === 0 ? null : { ...labels };
  const text = "`selector` does not match template `labels`";
  return [
    ...validateJobSpec(spec, "spec"),
    ...errors,
    ...(isMismatch ? [invalid("spec.template.metadata.labels", shown, text)] : []),
  ];
}

/** What is wrong with the spec of a Job, or of one to be made from a template. */
export function validateJobSpec(spec: JsonObject, path: string): FieldError[] {
  const manager = textAt(spec, "managedBy");
  const failurePolicy = objectAt(spec, "podFailurePolicy");
  return [
    ...nonNegative(spec, path, "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit"),
    ...nonNegative(spec, path, "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"),
    ...(numberAt(spec, "maxFailedIndexes") !== undefined && numberAt(spec, "backoffLimitPerIndex") === undefined
      ? [required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
    ...(manager === undefined ? [] : validateDomainPath(manager, `${path}.managedBy`)),
    ...((manager ?? "").length > longestManager ? [tooLong(`${path}.managedBy`, longestManager)] : []),
    ...validateMode(spec, path),
    ...(failurePolicy === undefined
      ? []
      : validateFailurePolicy(spec, failurePolicy, `${path}.podFailurePolicy.rules`)),
    ...validateSuccessPolicy(spec, `${path}.successPolicy`),
    ...validateReplacement(spec, `${path}.podReplacementPolicy`),
    ...validateTemplateSpec(objectAt(spec, "template") ?? {}, `${path}.template`),
    ...validateRestart(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function validateMode(spec: JsonObject, path: string): FieldError[] {
  const mode = textAt(spec, "completionMode") ?? "NonIndexed";
  if (mode === "Indexed") return validateIndexed(spec, path);
  if (mode !== "NonIndexed") return [notSupported(`${path}.completionMode`, mode, ["NonIndexed", "Indexed"])];
  return ["backoffLimitPerIndex", "maxFailedIndexes"].flatMap((name) => {
    const value = numberAt(spec, name);
    return value === undefined ? [] : [invalid(`${path}.${name}`, value, "requires indexed completion mode")];
  });
}

function validateIndexed(spec: JsonObject, path: string): FieldError[] {
  const completions = numberAt(spec, "completions");
  const parallelism = numberAt(spec, "parallelism") ?? 0;
  const failed = numberAt(spec, "maxFailedIndexes");
  const isMany = (completions ?? 0) > most && numberAt(spec, "backoffLimitPerIndex") !== undefined;
  const over = (name: string, value: number, bound: number, more: string): FieldError[] =>
    value > bound ? [invalid(`${path}.${name}`, value, `must be less than or equal to ${bound}${more}`)] : [];
  const manyText = ` when completions are above ${most} and used with backoff limit per index`;
  return [
    ...(completions === undefined ? [required(`${path}.completions`, "when completion mode is Indexed")] : []),
    ...over("parallelism", parallelism, most, " when completion mode is Indexed"),
    ...(completions !== undefined && failed !== undefined && failed > completions
      ? [invalid(`${path}.maxFailedIndexes`, failed, "must be less than or equal to completions")]
      : []),
    ...over("maxFailedIndexes", failed ?? 0, most, ""),
    ...(isMany && failed === undefined
      ? [required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${most}`)]
      : []),
    ...(isMany ? over("parallelism", parallelism, mostOfMany, manyText) : []),
    ...(isMany ? over("maxFailedIndexes", failed ?? 0, mostOfMany, manyText) : []),
  ];
}

function validateReplacement(spec: JsonObject, path: string): FieldError[] {
  const policy = textAt(spec, "podReplacementPolicy");
  const known = objectAt(spec, "podFailurePolicy") === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  return policy === undefined || known.includes(policy) ? [] : [notSupported(path, policy, known)];
}

function validateRestart(spec: JsonObject, path: string): FieldError[] {
  const policy = textAt(spec, "template", "spec", "restartPolicy") ?? "";
  if (policy === "" || policy === "Always") return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupported(path, policy, ["OnFailure", "Never"])];
  if (policy === "Never" || objectAt(spec, "podFailurePolicy") === undefined) return [];
  return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** The names of the Pods of an indexed Job end with their index. */
function validateHostname(name: string, spec: JsonObject): FieldError[] {
  const completions = numberAt(spec, "completions") ?? 0;
  if (textAt(spec, "completionMode") !== "Indexed" || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  if (checkLabel(longest).length === 0) return [];
  return [invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

function validateChange(spec: JsonObject, oldSpec: JsonObject, old: KubeObject): FieldError[] {
  const kept = (name: string): FieldError[] => immutable(spec[name], oldSpec[name], `spec.${name}`);
  return [
    ...validateCompletions(spec, oldSpec),
    ...kept("selector"),
    ...immutable(spec["template"], comparedTemplate(spec, oldSpec, old), "spec.template"),
    ...["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"].flatMap(kept),
  ];
}

function validateCompletions(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const completions = spec["completions"];
  if (textAt(spec, "completionMode") !== "Indexed") {
    return immutable(completions, oldSpec["completions"], "spec.completions");
  }
  const isKept = completions === undefined || isJsonEqual(completions, oldSpec["completions"] ?? null);
  if (isKept || completions === spec["parallelism"]) return [];
  return [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}

/** The old template, with what may change of a Job that was not begun. */
function comparedTemplate(spec: JsonObject, oldSpec: JsonObject, old: KubeObject): Json {
  const template = objectAt(oldSpec, "template") ?? {};
  if (!isTrueAt(oldSpec, "suspend") || textAt(old, "status", "startTime") !== undefined) return template;
  const next = objectAt(spec, "template") ?? {};
  const metadata = withFields(objectAt(template, "metadata"), objectAt(next, "metadata"), ["labels", "annotations"]);
  const podSpec = withFields(objectAt(template, "spec"), objectAt(next, "spec"), [
    "nodeSelector",
    "tolerations",
    "schedulingGates",
  ]);
  const affinity = objectAt(next, "spec", "affinity");
  const compared = withFields(objectAt(podSpec, "affinity"), affinity, ["nodeAffinity"]);
  const { affinity: _, ...rest } = podSpec;
  const isNone = Object.keys(compared).length === 0 && affinity === undefined;
  return { ...template, metadata, spec: isNone ? rest : { ...rest, affinity: compared } };
}

function withFields(
  object: JsonObject | undefined = {},
  other: JsonObject | undefined = {},
  names: readonly string[],
): JsonObject {
  const kept = Object.entries(object).filter(([name]) => !names.includes(name));
  const taken = Object.entries(other).filter(([name]) => names.includes(name));
  return Object.fromEntries([...kept, ...taken]);
}
