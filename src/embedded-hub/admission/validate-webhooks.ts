import { checkLabel1035, checkSubdomain } from "../../core/formats/kube-names.ts";
import { PatternBudget } from "../../core/formats/patterns.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { duplicate, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateSelectorAt } from "../selectors/validate-label-selector.ts";
import { readNamed } from "./admission-policy.ts";
import { compileConditions } from "./compile-policy.ts";
import { validateMatchConditions } from "./validate-match-conditions.ts";
import { validateRules } from "./validate-match-resources.ts";
import { validateWebhookClient } from "./validate-webhook-client.ts";

const reviewVersions = ["v1", "v1beta1"];
const harmless = ["None", "NoneOnDryRun"];

/**
 * What is wrong with a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration.
 * Source: Kubernetes, pkg/apis/admissionregistration/validation.
 */
export function validateWebhooks(configuration: KubeObject, old?: KubeObject): FieldError[] {
  const webhooks = objectsAt(configuration, "webhooks");
  const places = firstPlaces(webhooks.map((webhook) => textAt(webhook, "name") ?? ""));
  const areConditionsKept =
    old !== undefined && isJsonEqual(conditionsOf(webhooks), conditionsOf(objectsAt(old, "webhooks")));
  const patterns = new PatternBudget();
  return webhooks.flatMap((webhook, index) => {
    const path = indexPath("webhooks", index);
    const name = textAt(webhook, "name") ?? "";
    return [
      ...validateWebhook(webhook, path),
      ...(areConditionsKept ? [] : validateConditions(webhook, `${path}.matchConditions`, patterns)),
      ...validateReviewVersions(textsAt(webhook, "admissionReviewVersions"), `${path}.admissionReviewVersions`),
      ...(name !== "" && places.get(name) !== index ? [duplicate(`${path}.name`, name)] : []),
    ];
  });
}

function validateWebhook(webhook: JsonObject, path: string): FieldError[] {
  const sideEffects = textAt(webhook, "sideEffects");
  const timeoutSeconds = numberAt(webhook, "timeoutSeconds") ?? 10;
  const timeoutText = "the timeout value must be between 1 and 30 seconds";
  return [
    ...validateName(textAt(webhook, "name") ?? "", `${path}.name`),
    ...validateRules(objectsAt(webhook, "rules"), `${path}.rules`),
    ...validateChoice(webhook, "failurePolicy", path, ["Fail", "Ignore"]),
    ...validateChoice(webhook, "matchPolicy", path, ["Equivalent", "Exact"]),
    ...(sideEffects === undefined
      ? [required(`${path}.sideEffects`, `must specify one of ${harmless.join(", ")}`)]
      : validateChoice(webhook, "sideEffects", path, harmless)),
    ...(timeoutSeconds < 1 || timeoutSeconds > 30
      ? [invalid(`${path}.timeoutSeconds`, timeoutSeconds, timeoutText)]
      : []),
    ...validateSelectorAt(webhook, "namespaceSelector", path),
    ...validateSelectorAt(webhook, "objectSelector", path),
    ...validateChoice(webhook, "reinvocationPolicy", path, ["IfNeeded", "Never"]),
    ...validateWebhookClient(webhook, `${path}.clientConfig`),
  ];
}

function validateName(name: string, path: string): FieldError[] {
  if (name === "") return [required(path)];
  const texts = checkSubdomain(name);
  if (texts.length > 0) return [invalid(path, name, texts.join(","))];
  if (name.split(".").length >= 3) return [];
  return [invalid(path, name, "should be a domain with at least three segments separated by dots")];
}

function validateChoice(webhook: JsonObject, field: string, path: string, supported: readonly string[]): FieldError[] {
  const value = textAt(webhook, field);
  return value === undefined || supported.includes(value) ? [] : [notSupported(`${path}.${field}`, value, supported)];
}

function conditionsOf(webhooks: readonly JsonObject[]): JsonObject[][] {
  return webhooks.map((webhook) => [...objectsAt(webhook, "matchConditions")]);
}

function validateConditions(webhook: JsonObject, path: string, patterns: PatternBudget): FieldError[] {
  const conditions = objectsAt(webhook, "matchConditions").map(readNamed);
  const compiled = compileConditions(conditions, { hasParams: false, hasAuthorizer: true, patterns });
  return validateMatchConditions(conditions, compiled, path);
}

function validateReviewVersions(versions: readonly string[], path: string): FieldError[] {
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return [required(path, `must specify one of ${known}`)];
  const places = firstPlaces(versions);
  const errors = versions.flatMap((version, index) =>
    places.get(version) === index
      ? checkLabel1035(version).map((text) => invalid(indexPath(path, index), version, text))
      : [invalid(indexPath(path, index), version, "duplicate version")],
  );
  if (versions.some((version) => reviewVersions.includes(version))) return errors;
  return [...errors, invalid(path, [...versions], `must include at least one of ${known}`)];
}
