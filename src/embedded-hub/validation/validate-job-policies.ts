import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import { duplicate, invalid, invalidStruct, notSupported, required, tooLong, tooMany } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold, nonNegative } from "./checks.ts";
import { eachOf } from "./checks-network.ts";
import { readIndexes } from "./job-indexes.ts";

// Source of this file: Kubernetes, pkg/apis/batch/validation.

const mostRules = 20;
const mostValues = 255;
const longestIndexes = 64 * 1024;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** The rules by which a failed Pod fails its Job. */
export function validateFailurePolicy(spec: JsonObject, policy: JsonObject, path: string): FieldError[] {
  const rules = objectsAt(policy, "rules");
  const containers = new Set(
    ["containers", "initContainers"].flatMap((field) =>
      objectsAt(spec, "template", "spec", field).map((container) => textAt(container, "name") ?? ""),
    ),
  );
  return [
    ...(rules.length > mostRules ? [tooMany(path, rules.length, mostRules)] : []),
    ...eachOf(rules, path, (rule, at) => validateRule(spec, rule, { path: at, containers })),
  ];
}

interface RulePlace {
  readonly path: string;
  readonly containers: ReadonlySet<string>;
}

function validateRule(spec: JsonObject, rule: JsonObject, { path, containers }: RulePlace): FieldError[] {
  const codes = objectAt(rule, "onExitCodes");
  const conditions = objectsAt(rule, "onPodConditions");
  const isBoth = codes !== undefined && conditions.length > 0;
  const isNone = codes === undefined && conditions.length === 0;
  return [
    ...validateAction(spec, textAt(rule, "action") ?? "", `${path}.action`),
    ...(codes === undefined ? [] : validateExitCodes(codes, { path: `${path}.onExitCodes`, containers })),
    ...(conditions.length > mostRules ? [tooMany(`${path}.onPodConditions`, conditions.length, mostRules)] : []),
    ...eachOf(conditions, `${path}.onPodConditions`, (condition, at) => [
      ...hold(checkQualifiedName, textAt(condition, "type") ?? "", `${at}.type`),
      ...oneOf(textAt(condition, "status") ?? "", statuses, `${at}.status`),
    ]),
    ...(isBoth ? [withoutValue(path, "specifying both OnExitCodes and OnPodConditions is not supported")] : []),
    ...(isNone ? [withoutValue(path, "specifying one of OnExitCodes and OnPodConditions is required")] : []),
  ];
}

function validateAction(spec: JsonObject, action: string, path: string): FieldError[] {
  if (action !== "FailIndex" || numberAt(spec, "backoffLimitPerIndex") !== undefined)
    return oneOf(action, actions, path);
  return [invalid(path, action, "requires the backoffLimitPerIndex to be set")];
}

/** A value that must be there. */
function oneOf(value: string, known: readonly string[], path: string): FieldError[] {
  if (value === "") return [required(path, `valid values: [${known.map((one) => JSON.stringify(one)).join(" ")}]`)];
  return known.includes(value) ? [] : [notSupported(path, value, known)];
}

/** An error that names no value. */
export function withoutValue(field: string, text: string): FieldError {
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${text}` };
}

function validateExitCodes(codes: JsonObject, { path, containers }: RulePlace): FieldError[] {
  const operator = textAt(codes, "operator") ?? "";
  const container = textAt(codes, "containerName");
  const list = codes["values"];
  const values = (Array.isArray(list) ? (list as readonly unknown[]) : []).filter((one) => typeof one === "number");
  const seen = new Set<number>();
  const field = `${path}.values`;
  const isUnordered = values.some((value, at) => at > 0 && (values[at - 1] ?? 0) > value);
  const text = "must be one of the container or initContainer names in the pod template";
  return [
    ...oneOf(operator, operators, `${path}.operator`),
    ...(container === undefined || containers.has(container)
      ? []
      : [invalid(`${path}.containerName`, container, text)]),
    ...(values.length === 0 ? [invalid(field, codes["values"] ?? null, "at least one value is required")] : []),
    ...(values.length > mostValues ? [tooMany(field, values.length, mostValues)] : []),
    ...eachOf(values, field, (value, at) => [
      ...(operator === "In" && value === 0 ? [invalid(at, value, "must not be 0 for the In operator")] : []),
      ...(seen.size === seen.add(value).size ? [duplicate(at, value)] : []),
    ]),
    ...(isUnordered ? [invalid(field, [...values], "must be ordered")] : []),
  ];
}

/** An API server prints its own form of the object. */
function printSuccessPolicy(policy: JsonObject): JsonObject {
  const rules = objectsAt(policy, "rules").map(({ succeededIndexes = null, succeededCount = null }) => {
    return { SucceededIndexes: succeededIndexes, SucceededCount: succeededCount };
  });
  return { Rules: Array.isArray(policy["rules"]) ? rules : null };
}

/** The rules by which some indexes are enough. */
export function validateSuccessPolicy(spec: JsonObject, path: string): FieldError[] {
  const policy = objectAt(spec, "successPolicy");
  if (policy === undefined) return [];
  if (textAt(spec, "completionMode") !== "Indexed") {
    return [invalidStruct(path, printSuccessPolicy(policy), "requires indexed completion mode")];
  }
  const rules = objectsAt(policy, "rules");
  const field = `${path}.rules`;
  const text = "at least one rules must be specified when the successPolicy is specified";
  return [
    ...(rules.length === 0 ? [required(field, text)] : []),
    ...(rules.length > mostRules ? [tooMany(field, rules.length, mostRules)] : []),
    ...eachOf(rules, field, (rule, at) => validateSuccessRule(rule, numberAt(spec, "completions") ?? 0, at)),
  ];
}

function validateSuccessRule(rule: JsonObject, completions: number, path: string): FieldError[] {
  const indexes = textAt(rule, "succeededIndexes");
  const count = numberAt(rule, "succeededCount");
  const isLong = (indexes ?? "").length > longestIndexes;
  const read = readIndexes(isLong ? "" : (indexes ?? ""), completions);
  const total = typeof read === "string" ? 0 : read.total;
  const over = (bound: number, what: string): FieldError[] =>
    count !== undefined && count > bound
      ? [invalid(`${path}.succeededCount`, count, `must be less than or equal to ${bound} (${what})`)]
      : [];
  const field = `${path}.succeededIndexes`;
  return [
    ...(indexes === undefined && count === undefined
      ? [required(path, "at least one of succeededCount or succeededIndexes must be specified")]
      : []),
    ...(isLong ? [tooLong(field, longestIndexes)] : []),
    ...(typeof read === "string" ? [invalid(field, indexes ?? "", `error parsing succeededIndexes: ${read}`)] : []),
    ...nonNegative(rule, path, "succeededCount"),
    ...over(completions, "the number of specified completions"),
    ...(indexes === undefined ? [] : over(total, "the number of indexes in the specified succeededIndexes field")),
  ];
}
