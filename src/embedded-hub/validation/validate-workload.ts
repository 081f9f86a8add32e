import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textMapAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { asJson } from "../metadata/kube-json.ts";
import { validateAnnotations, validateLabels } from "../metadata/validate-metadata.ts";
import { forbidden, invalid, invalidStruct, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { matchesSelector } from "../selectors/object-selector.ts";
import { validateLabelSelector } from "../selectors/validate-label-selector.ts";
import { amountOf, immutable, nonNegative, notOverAll, validateAmount } from "./checks.ts";
import { forbidInTemplate, validatePodSpec } from "./validate-pod-spec.ts";

// Source of this file: Kubernetes, pkg/apis/apps/validation.

type Context = { readonly subresource?: string };

/** What is wrong with a Deployment, or with the change of it or its status. */
export function validateDeployment(
  deployment: KubeObject,
  old: KubeObject | undefined,
  context: Context = {},
): FieldError[] {
  if (context.subresource === "status") return validateDeploymentStatus(deployment, old);
  const spec = objectAt(deployment, "spec") ?? {};
  return [
    ...nonNegative(spec, "spec", "replicas"),
    ...validateSelector(spec),
    ...validateTemplate(spec),
    ...validateStrategy(objectAt(spec, "strategy") ?? {}, "spec.strategy"),
    ...nonNegative(spec, "spec", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"),
    ...validateDeadline(spec),
    ...keepSelector(spec, old),
  ];
}

/** What is wrong with a ReplicaSet, or with the change of it or its status. */
export function validateReplicaSet(set: KubeObject, old: KubeObject | undefined, context: Context = {}): FieldError[] {
  if (context.subresource === "status") return validateSetStatus(objectAt(set, "status") ?? {});
  const spec = objectAt(set, "spec") ?? {};
  return [
    ...nonNegative(spec, "spec", "replicas", "minReadySeconds"),
    ...validateSelector(spec),
    ...validateTemplate(spec),
    ...keepSelector(spec, old),
  ];
}

/** What is wrong with a ReplicationController, or with its status. Source: Kubernetes, pkg/apis/core/validation. */
export function validateReplicationController(
  controller: KubeObject,
  _old: KubeObject | undefined,
  context: Context = {},
): FieldError[] {
  if (context.subresource === "status") return validateSetStatus(objectAt(controller, "status") ?? {});
  const spec = objectAt(controller, "spec") ?? {};
  const template = objectAt(spec, "template");
  const matchLabels = textMapAt(spec, "selector");
  const hasSelector = Object.keys(matchLabels).length > 0;
  return [
    ...nonNegative(spec, "spec", "minReadySeconds"),
    ...(hasSelector ? [] : [required("spec.selector")]),
    ...nonNegative(spec, "spec", "replicas"),
    ...(template === undefined
      ? [required("spec.template")]
      : validateSelectedTemplate(template, hasSelector ? { matchLabels } : {}, "ReplicationController")),
  ];
}

function validateSelector(spec: JsonObject): FieldError[] {
  const selector = objectAt(spec, "selector");
  if (selector === undefined) return [required("spec.selector")];
  const errors = validateLabelSelector(selector, "spec.selector");
  if (!isEmpty(selector)) return errors;
  return [...errors, invalidStruct("spec.selector", selector, "empty selector is invalid for deployment")];
}

function isEmpty(selector: JsonObject): boolean {
  const labels = objectAt(selector, "matchLabels") ?? {};
  return Object.keys(labels).length + objectsAt(selector, "matchExpressions").length === 0;
}

function keepSelector(spec: JsonObject, old: KubeObject | undefined): FieldError[] {
  if (old === undefined) return [];
  return immutable(objectAt(spec, "selector"), objectAt(old, "spec", "selector"), "spec.selector");
}

function validateTemplate(spec: JsonObject): FieldError[] {
  const selector = objectAt(spec, "selector");
  if (selector !== undefined && isMalformed(selector)) {
    return [invalidStruct("spec.selector", inOrder(selector), "invalid label selector")];
  }
  return validateSelectedTemplate(objectAt(spec, "template") ?? {}, selector, "ReplicaSet");
}

/** What is wrong with the template of a kind that selects its Pods. */
function validateSelectedTemplate(template: JsonObject, selector: JsonObject | undefined, kind: string): FieldError[] {
  const labels = textMapAt(template, "metadata", "labels");
  const path = "spec.template";
  const podSpec = objectAt(template, "spec") ?? {};
  const hasLabels = Object.keys(labels).length > 0;
  return [
    ...(matchesSelector(selector, labels)
      ? []
      : [invalid(`${path}.metadata.labels`, hasLabels ? labels : null, "`selector` does not match template `labels`")]),
    ...validateTemplateSpec(template, path),
    ...forbidInTemplate(podSpec, `${path}.spec`, kind),
  ];
}

/** What is wrong with a PodTemplate. Source: Kubernetes, pkg/apis/core/validation. */
export function validatePodTemplate(template: KubeObject): FieldError[] {
  return validateTemplateSpec(objectAt(template, "template") ?? {}, "template");
}

/** What is wrong with a template of Pods. */
export function validateTemplateSpec(template: JsonObject, path: string): FieldError[] {
  const podSpec = objectAt(template, "spec") ?? {};
  return [
    ...validateLabels(textMapAt(template, "metadata", "labels"), `${path}.labels`),
    ...validateAnnotations(textMapAt(template, "metadata", "annotations"), `${path}.annotations`),
    ...validatePodSpec(podSpec, `${path}.spec`, false),
    ...(objectsAt(podSpec, "ephemeralContainers").length > 0
      ? [forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}

function inOrder({ matchLabels, matchExpressions }: JsonObject): JsonObject {
  return { matchLabels, matchExpressions };
}

/** Selectors that cannot be matched against at all. */
function isMalformed(selector: JsonObject): boolean {
  return validateLabelSelector(selector, "").length > 0;
}

function validateStrategy(strategy: JsonObject, path: string): FieldError[] {
  const type = textAt(strategy, "type") ?? "";
  const rolling = objectAt(strategy, "rollingUpdate");
  const field = `${path}.rollingUpdate`;
  switch (type) {
    case "Recreate": {
      const text = "may not be specified when strategy `type` is 'Recreate'";
      return rolling === undefined ? [] : [forbidden(field, text)];
    }
    case "RollingUpdate":
      return rolling === undefined
        ? [required(field, "this should be defaulted and never be nil")]
        : validateRolling(rolling, field);
    default: {
      const printed: Json = { Type: type, RollingUpdate: rolling === undefined ? null : capitalized(rolling) };
      return [{ ...notSupported(path, printed, ["Recreate", "RollingUpdate"]), message: unsupported(printed) }];
    }
  }
}

/** An API server prints its own form of the object, in the order of that. */
function unsupported(printed: Json): string {
  return `Unsupported value: ${JSON.stringify(printed)}: supported values: "Recreate", "RollingUpdate"`;
}

function capitalized(rolling: JsonObject): JsonObject {
  return { MaxUnavailable: rolling["maxUnavailable"] ?? 0, MaxSurge: rolling["maxSurge"] ?? 0 };
}

function validateRolling(rolling: JsonObject, path: string): FieldError[] {
  const unavailable = jsonAt(rolling, "maxUnavailable");
  const surge = jsonAt(rolling, "maxSurge");
  const isStuck = amountOf(unavailable) === 0 && amountOf(surge) === 0;
  const field = `${path}.maxUnavailable`;
  return [
    ...validateAmount(unavailable, field),
    ...validateAmount(surge, `${path}.maxSurge`),
    ...(isStuck ? [invalid(field, unavailable ?? 0, "may not be 0 when `maxSurge` is 0")] : []),
    ...notOverAll(unavailable, field),
  ];
}

function jsonAt(holder: JsonObject, name: string): Json | undefined {
  const value = valueAt(holder, name);
  return typeof value === "string" || typeof value === "number" || isJsonObject(value) ? value : undefined;
}

function validateDeadline(spec: JsonObject): FieldError[] {
  const seconds = numberAt(spec, "progressDeadlineSeconds");
  if (seconds === undefined || seconds > (numberAt(spec, "minReadySeconds") ?? 0)) return [];
  return [invalid("spec.progressDeadlineSeconds", seconds, "must be greater than minReadySeconds")];
}

const overReplicas = "cannot be greater than status.replicas";

function validateDeploymentStatus(deployment: KubeObject, old: KubeObject | undefined): FieldError[] {
  const status = objectAt(deployment, "status") ?? {};
  const errors = [
    ...nonNegative(status, "status", "observedGeneration", "replicas", "updatedReplicas", "readyReplicas"),
    ...nonNegative(status, "status", "availableReplicas", "unavailableReplicas", "terminatingReplicas"),
    ...nonNegative(status, "status", "collisionCount"),
    ...notOver(status, ["updatedReplicas", "readyReplicas", "availableReplicas"]),
  ];
  const before = numberAt(old, "status", "collisionCount");
  const now = numberAt(status, "collisionCount");
  if (before !== undefined && (now === undefined || now < before)) {
    errors.push(invalid("status.collisionCount", now ?? 0, "cannot be decremented"));
  }
  return errors;
}

function validateSetStatus(status: JsonObject): FieldError[] {
  return [
    ...nonNegative(status, "status", "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
    ...nonNegative(status, "status", "observedGeneration", "terminatingReplicas"),
    ...notOver(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"]),
  ];
}

function notOver(status: JsonObject, names: readonly string[]): FieldError[] {
  const count = (name: string): number => numberAt(status, name) ?? 0;
  const errors = names
    .filter((name) => count(name) > count("replicas"))
    .map((name) => invalid(`status.${name}`, count(name), overReplicas));
  if (count("availableReplicas") <= count("readyReplicas")) return errors;
  return [
    ...errors,
    invalid("status.availableReplicas", count("availableReplicas"), "cannot be greater than readyReplicas"),
  ];
}

/** What is wrong with a ControllerRevision or with its change. */
export function validateControllerRevision(one: KubeObject, old: KubeObject | undefined): FieldError[] {
  const { data = null, revision = 0 } = asJson(one);
  const isNegative = (numberAt(one, "revision") ?? 0) < 0;
  return [
    ...(isNegative ? [invalid("revision", revision, "must be greater than or equal to 0")] : []),
    ...(old === undefined ? validateData(data) : []),
    ...(old === undefined || isJsonEqual(data, old["data"] ?? null)
      ? []
      : [invalidStruct("data", data, "field is immutable")]),
  ];
}

function validateData(data: Json): FieldError[] {
  if (isJsonObject(data)) return [];
  return [required("data", data === null ? "data is mandatory" : "data must be a valid JSON object")];
}
