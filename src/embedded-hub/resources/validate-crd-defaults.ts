import { appendAll } from "../../core/append-all.ts";
import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { objectAt } from "../../core/read-json.ts";
import type { RuleTree } from "../rules/rule-tree.ts";
import { compileRules } from "../rules/rule-tree.ts";
import { validateRules } from "../rules/validate-rules.ts";
import { forbidden, invalid } from "../schema/field-error.ts";
import { pruneUnknown } from "../schema/prune-unknown.ts";
import type { FieldError, Schema } from "../schema/schema.ts";
import { validateBySchema } from "../schema/validate-object.ts";
import { mostSteps, stepsLeft } from "../schema/validation-steps.ts";
import { validateEmbedded } from "../types/validate-embedded.ts";

/** Less than an object has: who writes a definition may not hold up the others. */
const budgetOfDefaults = 1_000_000;

/** What all defaults of a definition share. */
interface Review {
  /** What the rules of all defaults may cost together. Those of further defaults are not run. */
  budget: number;
  /** The same of their validation by the schema. */
  steps: number;
}

/** A part of the schema with its rules, which are compiled once for all defaults. */
interface Part {
  readonly schema: JsonObject;
  readonly path: string;
  readonly rules: () => RuleTree | undefined;
}

/**
 * Defaults must fit the schema that contains them, and its rules. Source: apiextensions-apiserver,
 * apiserver/schema/defaulting.
 */
export function validateDefaults(schema: JsonObject, path: string): FieldError[] {
  let compiled: { readonly tree: RuleTree | undefined } | undefined;
  const rules = (): RuleTree | undefined => {
    compiled ??= { tree: compileRules(schema) };
    return compiled.tree;
  };
  return validatePart({ budget: budgetOfDefaults, steps: mostSteps }, { schema, path, rules }, true);
}

function validatePart(review: Review, { schema, path, rules }: Part, isRoot: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const value = schema["default"];
  if (value !== undefined) {
    const whole = isRoot ? { ...schema, "x-kubernetes-embedded-resource": true } : schema;
    appendAll(errors, validateDefault(review, value, { schema: whole, path: `${path}.default`, rules }));
  }
  const items = objectAt(schema, "items");
  if (items !== undefined) {
    const part = { schema: items, path: `${path}.items`, rules: () => rules()?.items };
    appendAll(errors, validatePart(review, part, false));
  }
  for (const [name, property] of Object.entries(objectAt(schema, "properties") ?? {})) {
    if (!isJsonObject(property)) continue;
    const part = { schema: property, path: `${path}.properties[${name}]`, rules: () => rules()?.properties.get(name) };
    appendAll(errors, validatePart(review, part, false));
  }
  return errors;
}

/** Each check is made only of what passed the one before it, as kube-apiserver does. */
function validateDefault(review: Review, value: Json, { schema, path, rules }: Part): FieldError[] {
  const unknown = isPruned(value, schema) ? [] : [invalid(path, value, "must not have unknown fields")];
  const embedded = validateEmbedded(value, schema, path);
  if (embedded.length > 0) return [...unknown, ...embedded];
  if (review.steps < 0) return unknown;
  review.steps = stepsLeft(value, schema, review.steps);
  if (review.steps < 0) return [forbidden(path, "defaults take too long to validate")];
  const errors = validateBySchema(value, schema, { path });
  return [...unknown, ...(errors.length > 0 ? errors : validateByRules(review, value, { schema, path, rules }))];
}

function isPruned(value: Json, schema: JsonObject): boolean {
  // Of a list, its items are pruned.
  const inPlace: Schema = { type: "object", properties: { value: schema } };
  return isJsonEqual(pruneUnknown({ value }, inPlace).object["value"] ?? null, value);
}

/** The rules must hold for a default that replaces itself, and for one that replaces nothing. */
function validateByRules(review: Review, value: Json, { path, rules }: Part): FieldError[] {
  const tree = rules();
  if (tree === undefined || review.budget < 0) return [];
  const object = { default: value };
  const around: RuleTree = {
    schema: { type: "object", properties: { default: tree.schema } },
    isResource: false,
    rules: [],
    properties: new Map([["default", tree]]),
  };
  const errors: FieldError[] = [];
  for (const old of [object, undefined]) {
    const found = validateRules(around, object, { ...(old === undefined ? {} : { old }), budget: review.budget });
    review.budget = found.budget;
    if (review.budget < 0) return [];
    const known = new Set(errors.map(({ field, message }) => `${field} ${message}`));
    appendAll(
      errors,
      found.errors.filter(({ field, message }) => !known.has(`${field} ${message}`)),
    );
  }
  return errors.map((error) => ({ ...error, field: error.field.replace(/^default/u, () => path) }));
}
