import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import { checkLabel, checkPathSegment } from "../../core/formats/kube-names.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { forbidden, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold, nonNegative } from "./checks.ts";
import { eachOf } from "./checks-network.ts";
import { nanosOf, validateContainerResourceName } from "./validate-resources.ts";

// Source of this file: Kubernetes, pkg/apis/autoscaling/validation.

const longestWindow = 3600;
const longestPeriod = 1800;
const selections = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

/** What is wrong with a HorizontalPodAutoscaler, or with the change of it or its status. */
export function validateAutoscaler(
  autoscaler: KubeObject,
  old: KubeObject | undefined,
  { subresource }: { readonly subresource?: string } = {},
): FieldError[] {
  const status = objectAt(autoscaler, "status");
  if (subresource === "status") return nonNegative(status, "status", "currentReplicas", "desiredReplicas");
  const spec = objectAt(autoscaler, "spec") ?? {};
  const target = objectAt(spec, "scaleTargetRef") ?? {};
  const oldTarget = objectAt(old, "spec", "scaleTargetRef") ?? {};
  const isKept = ["apiVersion", "kind"].every(
    (name) => (textAt(target, name) ?? "") === (textAt(oldTarget, name) ?? ""),
  );
  const wasOdd = objectsAt(old, "spec", "metrics").some(
    (metric) => faultOfVersion(textAt(metric, "object", "describedObject", "apiVersion") ?? "", true) !== undefined,
  );
  return [
    ...validateCounts(spec, numberAt(old, "spec", "minReplicas") === 0 ? 0 : 1),
    ...validateReference(target, "spec.scaleTargetRef", {
      takesAny: old !== undefined && isKept,
      takesCore: textAt(target, "kind") === "ReplicationController",
    }),
    ...validateMetrics(spec, wasOdd),
    ...["scaleUp", "scaleDown"].flatMap((name) =>
      validateRules(objectAt(spec, "behavior", name), `spec.behavior.${name}`),
    ),
  ];
}

function validateCounts(spec: JsonObject, lowest: number): FieldError[] {
  const least = numberAt(spec, "minReplicas");
  const most = numberAt(spec, "maxReplicas") ?? 0;
  const field = "spec.maxReplicas";
  return [
    ...(least !== undefined && least < lowest
      ? [invalid("spec.minReplicas", least, `must be greater than or equal to ${lowest}`)]
      : []),
    ...(most < 1 ? [invalid(field, most, "must be greater than 0")] : []),
    ...(least !== undefined && most < least
      ? [invalid(field, most, "must be greater than or equal to `minReplicas`")]
      : []),
  ];
}

interface Allowed {
  /** An apiVersion that is none. */
  readonly takesAny: boolean;
  /** One without a group. */
  readonly takesCore: boolean;
}

function validateReference(reference: JsonObject, path: string, { takesAny, takesCore }: Allowed): FieldError[] {
  const version = textAt(reference, "apiVersion") ?? "";
  const fault = takesAny ? undefined : faultOfVersion(version, takesCore);
  return [
    ...["kind", "name"].flatMap((name) => {
      const text = textAt(reference, name) ?? "";
      return text === "" ? [required(`${path}.${name}`)] : hold(checkPathSegment, text, `${path}.${name}`);
    }),
    ...(fault === undefined ? [] : [invalid(`${path}.apiVersion`, version, fault)]),
  ];
}

function faultOfVersion(version: string, takesCore: boolean): string | undefined {
  if (version.split("/").length > 2) return `unexpected GroupVersion string: ${version}`;
  return takesCore || version.indexOf("/") > 0 ? undefined : "apiVersion must specify API group";
}

function validateMetrics(spec: JsonObject, takesAny: boolean): FieldError[] {
  const metrics = objectsAt(spec, "metrics");
  const hasOthers = metrics.some(({ type }) => type === "Object" || type === "External");
  const text = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [
    ...eachOf(metrics, "spec.metrics", (metric, path) => validateMetric(metric, path, takesAny)),
    ...(numberAt(spec, "minReplicas") === 0 && !hasOthers ? [forbidden("spec.metrics", text)] : []),
  ];
}

/** The fields of a metric by its type, in the order in which an API server checks them. */
const sources = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
} as const;
const sourceTypes = Object.keys(sources).sort();

function validateMetric(metric: JsonObject, path: string, takesAny: boolean): FieldError[] {
  const type = textAt(metric, "type") ?? "";
  const present = Object.values(sources).filter((name) => objectAt(metric, name) !== undefined);
  const [first] = present;
  const expected = Object.hasOwn(sources, type) ? sources[type as keyof typeof sources] : undefined;
  const unknown = expected === undefined ? [notSupported(`${path}.type`, type, sourceTypes)] : [];
  const isMissing = expected !== undefined && !present.includes(expected);
  return [
    ...(type === "" ? [required(`${path}.type`, "must specify a metric source type")] : []),
    ...unknown,
    ...(first === undefined
      ? []
      : validateSource(first, objectAt(metric, first) ?? {}, { path: `${path}.${first}`, takesAny })),
    ...(isMissing ? [required(`${path}.${expected}`, "must populate information for the given metric source")] : []),
    ...unknown,
    ...(present.length === 1 ? [] : present.filter((name) => name !== expected)).map((name) =>
      forbidden(`${path}.${name}`, "must populate the given metric source only"),
    ),
  ];
}

interface SourcePlace {
  readonly path: string;
  readonly takesAny: boolean;
}

function validateSource(kind: string, source: JsonObject, { path, takesAny }: SourcePlace): FieldError[] {
  const target = objectAt(source, "target") ?? {};
  const common = validateTarget(target, `${path}.target`);
  const has = (name: string): boolean => target[name] !== undefined;
  const at = (name: string): string => `${path}.target.${name}`;
  const isWithout = !has("value") && !has("averageValue");
  switch (kind) {
    case "object":
      return [
        ...validateReference(objectAt(source, "describedObject") ?? {}, `${path}.describedObject`, {
          takesAny,
          takesCore: true,
        }),
        ...validateIdentifier(source, path),
        ...common,
        ...(isWithout ? [required(at("averageValue"), "must set either a target value or averageValue")] : []),
      ];
    case "external": {
      const both = "may not set both a target value for metric and a per-pod target";
      return [
        ...validateIdentifier(source, path),
        ...common,
        ...(isWithout
          ? [required(at("averageValue"), "must set either a target value for metric or a per-pod target")]
          : []),
        ...(has("value") && has("averageValue") ? [forbidden(at("value"), both)] : []),
      ];
    }
    case "pods":
      return [
        ...validateIdentifier(source, path),
        ...common,
        ...(has("averageValue") ? [] : [required(at("averageValue"), "must specify a positive target averageValue")]),
      ];
    default:
      return [...validateNamed(kind, source, path), ...common, ...validateAverage(has, at)];
  }
}

function validateAverage(has: (name: string) => boolean, at: (name: string) => string): FieldError[] {
  const none = "must set either a target raw value or a target utilization";
  const both = "may not set both a target raw value and a target utilization";
  return [
    ...(has("averageUtilization") || has("averageValue") ? [] : [required(at("averageUtilization"), none)]),
    ...(has("averageUtilization") && has("averageValue") ? [forbidden(at("averageValue"), both)] : []),
  ];
}

/** The resource of a container or of all. */
function validateNamed(kind: string, source: JsonObject, path: string): FieldError[] {
  const name = textAt(source, "name") ?? "";
  const missing = name === "" ? [required(`${path}.name`, "must specify a resource name")] : [];
  if (kind === "resource") return missing;
  const container = textAt(source, "container") ?? "";
  return [
    ...missing,
    ...(name === "" ? [] : validateContainerResourceName(name, `${path}.name`)),
    ...(container === ""
      ? [required(`${path}.container`, "must specify a container")]
      : hold(checkLabel, container, `${path}.container`)),
  ];
}

function validateIdentifier(source: JsonObject, path: string): FieldError[] {
  const name = textAt(source, "metric", "name") ?? "";
  const field = `${path}.metric.name`;
  return name === "" ? [required(field, "must specify a metric name")] : hold(checkPathSegment, name, field);
}

function validateTarget(target: JsonObject, path: string): FieldError[] {
  const type = textAt(target, "type") ?? "";
  const utilization = numberAt(target, "averageUtilization");
  return [
    ...(type === "" ? [required(`${path}.type`, "must specify a metric target type")] : []),
    ...(["Utilization", "Value", "AverageValue"].includes(type)
      ? []
      : [invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...["value", "averageValue"].flatMap((name) => {
      const text = textAt(target, name);
      return text === undefined || nanosOf(text) > 0n ? [] : [invalid(`${path}.${name}`, text, "must be positive")];
    }),
    ...(utilization !== undefined && utilization < 1
      ? [invalid(`${path}.averageUtilization`, utilization, "must be greater than 0")]
      : []),
  ];
}

function validateRules(rules: JsonObject | undefined, path: string): FieldError[] {
  if (rules === undefined) return [];
  const window = numberAt(rules, "stabilizationWindowSeconds") ?? 0;
  const selection = textAt(rules, "selectPolicy");
  const policies = objectsAt(rules, "policies");
  const tolerance = textAt(rules, "tolerance") ?? "0";
  const field = `${path}.stabilizationWindowSeconds`;
  return [
    ...(window < 0 ? [invalid(field, window, "must be greater than or equal to zero")] : []),
    ...(window > longestWindow ? [invalid(field, window, `must be less than or equal to ${longestWindow}`)] : []),
    ...(selection === undefined || selections.includes(selection)
      ? []
      : [notSupported(`${path}.selectPolicy`, selection, selections)]),
    ...(policies.length === 0 ? [required(`${path}.policies`, "must specify at least one Policy")] : []),
    ...eachOf(policies, `${path}.policies`, validatePolicy),
    ...(nanosOf(tolerance) < 0n ? [invalid(`${path}.tolerance`, tolerance, "must be greater than or equal to 0")] : []),
  ];
}

function validatePolicy(policy: JsonObject, path: string): FieldError[] {
  const type = textAt(policy, "type") ?? "";
  const period = numberAt(policy, "periodSeconds") ?? 0;
  const value = numberAt(policy, "value") ?? 0;
  return [
    ...(policyTypes.includes(type) ? [] : [notSupported(`${path}.type`, type, policyTypes)]),
    ...(value <= 0 ? [invalid(`${path}.value`, value, "must be greater than zero")] : []),
    ...(period <= 0 ? [invalid(`${path}.periodSeconds`, period, "must be greater than zero")] : []),
    ...(period > longestPeriod
      ? [invalid(`${path}.periodSeconds`, period, `must be less than or equal to ${longestPeriod}`)]
      : []),
  ];
}
