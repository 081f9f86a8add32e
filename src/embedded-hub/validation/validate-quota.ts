import type { JsonObject } from "../../core/json.ts";
import { objectsAt, objectAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { invalid, invalidStruct, keyPath, required } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { isExtendedResource, isWhole, nanosOf, standardResources, validateResourceName } from "./validate-resources.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const ofPods = ["pods", "cpu", "memory", "ephemeral-storage"];
const computed = ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [`requests.${name}`, `limits.${name}`]);
const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const standard = new Set([...standardResources].filter((name) => name !== "storage"));

/** The amounts that a quota with the scope may hold. */
const ofScopes: Readonly<Record<string, ReadonlySet<string>>> = {
  BestEffort: new Set(["pods"]),
  ...Object.fromEntries(
    ["Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"].map((scope) => [
      scope,
      new Set([...ofPods, ...computed]),
    ]),
  ),
  VolumeAttributesClass: new Set(["persistentvolumeclaims", "requests.storage"]),
};

const existing = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

/** What is wrong with a ResourceQuota, or with the change of it or its status. */
export function validateQuota(
  quota: KubeObject,
  old: KubeObject | undefined,
  { subresource }: { readonly subresource?: string } = {},
): FieldError[] {
  if (subresource === "status") {
    return ["hard", "used"].flatMap((field) => validateAmounts(textMapAt(quota, "status", field), `status.${field}`));
  }
  const spec = objectAt(quota, "spec") ?? {};
  const scopes = textsAt(spec, "scopes");
  const oldScopes = new Set(textsAt(old, "spec", "scopes"));
  const isKept = old === undefined || new Set([...scopes, ...oldScopes]).size === oldScopes.size;
  const isChanged = !isKept || (old !== undefined && new Set(scopes).size !== oldScopes.size);
  return [
    ...validateAmounts(textMapAt(spec, "hard"), "spec.hard"),
    ...validateScopes(scopes, spec),
    ...validateSelector(spec),
    ...(isChanged ? [invalid("spec.scopes", spec["scopes"] ?? null, "field is immutable")] : []),
  ];
}

function validateAmounts(amounts: Readonly<Record<string, string>>, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, text]) => {
    const field = keyPath(path, name);
    const isKnown = name.includes("/") || standard.has(name) || isHugePages(name);
    return [
      ...validateResourceName(name, field),
      ...(isKnown ? [] : [invalid(field, name, "must be a standard resource for quota")]),
      ...validateQuantity(name, text, field),
    ];
  });
}

function validateScopes(scopes: readonly string[], spec: JsonObject): FieldError[] {
  const refuse = (text: string): FieldError => invalid("spec.scopes", spec["scopes"] ?? null, text);
  // Each names the whole list: printed once for all of them.
  const [unknown, unfitting] = [refuse("unsupported scope"), refuse("unsupported scope applied to resource")];
  const first = firstPlaces(scopes);
  return [
    ...scopes.flatMap((scope, index) => [
      ...(Object.hasOwn(ofScopes, scope) ? [] : [unknown]),
      ...(first.get(scope) === index ? unfit(scope, spec).map(() => unfitting) : []),
    ]),
    ...conflicts(scopes).map(() => refuse("conflicting scopes")),
  ];
}

function validateSelector(spec: JsonObject): FieldError[] {
  const path = "spec.scopeSelector.matchExpressions";
  const expressions = objectsAt(spec, "scopeSelector", "matchExpressions");
  const names = expressions.map((expression) => textAt(expression, "scopeName") ?? "");
  const printed = { MatchExpressions: expressions.map(asPrinted) };
  const unfitting = invalidStruct(path, printed, "unsupported scope applied to resource");
  const first = firstPlaces(names);
  return [
    ...expressions.flatMap((expression, index) => {
      const scope = names[index] ?? "";
      return [
        ...(Object.hasOwn(ofScopes, scope) ? [] : [invalid(`${path}.scopeName`, scope, "unsupported scope")]),
        ...(first.get(scope) === index ? unfit(scope, spec).map(() => unfitting) : []),
        ...validateOperator(expression, scope, path),
      ];
    }),
    ...conflicts(names).map(() => invalid(path, spec["scopes"] ?? null, "conflicting scopes")),
  ];
}

function validateOperator(expression: JsonObject, scope: string, path: string): FieldError[] {
  const operator = textAt(expression, "operator") ?? "";
  const values = textsAt(expression, "values");
  const errors: FieldError[] = [];
  if (existing.includes(scope) && operator !== "Exists") {
    const text =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
      "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalid(`${path}.operator`, operator, text));
  }
  if (operator === "In" || operator === "NotIn") {
    const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) errors.push(required(`${path}.values`, text));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const text = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) errors.push(invalid(`${path}.values`, [...values], text));
  } else {
    errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  }
  return errors;
}

/** The amounts that a quota with this scope cannot hold. */
function unfit(scope: string, spec: JsonObject): readonly string[] {
  const fitting = Object.hasOwn(ofScopes, scope) ? ofScopes[scope] : undefined;
  if (fitting === undefined) return [];
  const names = Object.keys(objectAt(spec, "hard") ?? {});
  return names.filter((name) => (standard.has(name) || isHugePages(name)) && !fitting.has(name));
}

function conflicts(scopes: readonly string[]): readonly string[] {
  return ["BestEffort", "Terminating"].filter((scope) => scopes.includes(scope) && scopes.includes(`Not${scope}`));
}

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
}

function asPrinted(expression: JsonObject): JsonObject {
  return {
    ScopeName: textAt(expression, "scopeName") ?? "",
    Operator: textAt(expression, "operator") ?? "",
    Values: expression["values"] ?? null,
  };
}

/** What is wrong with an amount of a resource that is counted or measured. Source: Kubernetes, ValidateResourceQuantityValue. */
export function validateQuantity(name: string, text: string, field: string): FieldError[] {
  const isCounted = counted.includes(name) || isExtendedResource(name);
  return [
    ...(nanosOf(text) < 0n ? [invalid(field, text, "must be greater than or equal to 0")] : []),
    ...(isCounted && !isWhole(text) ? [invalid(field, text, "must be an integer")] : []),
  ];
}
