import { PatternBudget } from "../../core/formats/patterns.ts";
import type { Json } from "../../core/json.ts";
import { indexPath, internalError, invalid, invalidStruct, notSupported, required } from "../schema/field-error.ts";
import type { FieldError, Schema, ValidationRule } from "../schema/schema.ts";
import { compileRule } from "./compile-rule.ts";
import { parseRuleFieldPath } from "./rule-field-path.ts";
import { typeOfSchema } from "./schema-types.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

const unknownType =
  "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";

interface Place {
  readonly path: string;
  readonly isResource: boolean;
  /** The first list above whose items have no identity: rules about changes make no sense below it. */
  readonly uncorrelatable?: string;
}

/**
 * The faults of rules (x-kubernetes-validations) that a CRD declares: their form and, if `isSound` (the schema is
 * otherwise valid), their expressions, which share the budget of patterns. Source: Kubernetes, validation of
 * CustomResourceDefinitions.
 */
export function validateRuleDeclarations(
  schema: Schema,
  path: string,
  isSound: boolean,
  patterns = new PatternBudget(),
): FieldError[] {
  const nodes = nodesOf(schema, { path, isResource: true });
  const faults = nodes.flatMap(([node, place]) => formFaults(node, place));
  const isCompiled = isSound && faults.length === 0;
  return isCompiled ? nodes.flatMap(([node, place]) => expressionFaults(node, place, patterns)) : faults;
}

/** The schema and all below it that describe values of their own, the innermost first. */
function nodesOf(schema: Schema, place: Place): (readonly [Schema, Place])[] {
  const { additionalProperties, properties = {}, items } = schema;
  const inner = (part: Schema, path: string, isListed = false): (readonly [Schema, Place])[] => {
    const uncorrelatable = place.uncorrelatable ?? (isListed ? place.path : undefined);
    return nodesOf(part, {
      path: `${place.path}.${path}`,
      isResource: part["x-kubernetes-embedded-resource"] === true,
      ...(uncorrelatable === undefined ? {} : { uncorrelatable }),
    });
  };
  return [
    ...(typeof additionalProperties === "object" ? inner(additionalProperties, "additionalProperties") : []),
    ...Object.entries(properties).flatMap(([key, property]) => inner(property, `properties[${key}]`)),
    ...(items === undefined ? [] : inner(items, "items", schema["x-kubernetes-list-type"] !== "map")),
    [schema, place],
  ];
}

function rulesOf(schema: Schema, { path }: Place): (readonly [ValidationRule, string])[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  return rules.map((rule, index) => [rule, indexPath(`${path}.x-kubernetes-validations`, index)]);
}

function formFaults(schema: Schema, place: Place): FieldError[] {
  return rulesOf(schema, place).flatMap(([rule, path]) => {
    const { messageExpression = "", reason, fieldPath = "" } = rule;
    const errors = textFaults(rule, path);
    if (messageExpression !== "" && messageExpression.trim() === "") {
      errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
    }
    if (reason !== undefined && !reasons.includes(reason)) {
      errors.push(notSupported(`${path}.reason`, reason, reasons));
    }
    if (fieldPath === "") return errors;
    const field = `${path}.fieldPath`;
    if (fieldPath.trim() === "") errors.push(invalid(field, fieldPath, "must be non-empty if specified"));
    if (fieldPath.includes("\n")) errors.push(invalid(field, fieldPath, "must not contain line breaks"));
    const parsed = parseRuleFieldPath(fieldPath, schema);
    if (parsed.kind === "refused") errors.push(invalid(field, fieldPath, "must be a valid path"));
    return errors;
  });
}

/** At most one fault of the rule's text and its message. */
function textFaults({ rule, message = "" }: ValidationRule, path: string): FieldError[] {
  const text = message.trim();
  if (rule.trim() === "") return [required(`${path}.rule`, "rule is not specified")];
  if (message !== "" && text === "") return [invalid(`${path}.message`, message, "must be non-empty if specified")];
  if (text.includes("\n")) return [invalid(`${path}.message`, message, "must not contain line breaks")];
  if (!rule.trim().includes("\n") || text !== "") return [];
  return [required(`${path}.message`, "message must be specified if rule contains line breaks")];
}

function expressionFaults(schema: Schema, place: Place, patterns: PatternBudget): FieldError[] {
  const rules = rulesOf(schema, place);
  if (rules.length === 0) return [];
  const type = typeOfSchema(schema, place.isResource);
  if (type === undefined) return [internalError(`${place.path}.x-kubernetes-validations`, unknownType)];
  return rules.flatMap(([rule, path]) => {
    const { refusal, messageRefusal, usesOldSelf } = compileRule(rule, schema, type, patterns);
    const errors: FieldError[] = [];
    if (refusal !== undefined) errors.push(refused(`${path}.rule`, rule, refusal));
    if (messageRefusal !== undefined) errors.push(refused(`${path}.messageExpression`, rule, messageRefusal));
    if (usesOldSelf && place.uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
      errors.push(invalid(`${path}.rule`, rule.rule, detail));
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = "may not be set if oldSelf is not used in rule";
      errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
    return errors;
  });
}

/** An API server prints the whole rule, by the names and in the order of its own. */
function refused(field: string, rule: ValidationRule, detail: string): FieldError {
  const printed: Json = {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
  return invalidStruct(field, printed, detail);
}
