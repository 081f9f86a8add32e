import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { memoizeWeak } from "../../core/memoize-weak.ts";
import { isUnchanged, oldOfItem, oldOfKey } from "../schema/correlate.ts";
import { childPath, indexPath, invalid, keyPath } from "../schema/field-error.ts";
import type { FieldError, Schema } from "../schema/schema.ts";
import type { RuleOutcome } from "./run-rule.ts";
import { fieldOf, runRule } from "./run-rule.ts";
import type { RuleTree } from "./rule-tree.ts";
import { withTypeMeta } from "./schema-types.ts";

const budgetOfObject = 10_000_000;

export interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** Failures of values that did not change, as texts for the client. */
  readonly warnings: readonly string[];
  /** What is left of the budget; below 0 when it was not enough. */
  readonly budget: number;
}

/**
 * What the rules of a schema (x-kubernetes-validations) report for an object that is valid otherwise. `old` is the
 * object in store; the default budget is that of one object. Source: Kubernetes 1.34, apiextensions CEL validation.
 */
export function validateRules(
  tree: RuleTree,
  object: JsonObject,
  { old, budget = budgetOfObject }: { readonly old?: JsonObject; readonly budget?: number } = {},
): RuleFindings {
  const review: Review = { errors: [], warnings: [], budget, isOver: false };
  const change = old === undefined ? undefined : { value: object, old, schema: tree.schema };
  visit(review, tree, { path: "", value: object, old, change, parent: undefined, isRoot: true });
  return { errors: review.errors, warnings: review.warnings, budget: review.isOver ? -1 : review.budget };
}

/** One object under review. */
interface Review {
  readonly errors: FieldError[];
  readonly warnings: string[];
  budget: number;
  isOver: boolean;
}

/** A value with the one it replaces. */
interface Change {
  readonly value: Json;
  readonly old: Json;
  readonly schema: Schema;
}

interface Place {
  readonly path: string;
  readonly value: Json | undefined;
  readonly old: Json | undefined;
  /** Undefined when no old value corresponds; then the nearest one above that does counts. */
  readonly change: Change | undefined;
  readonly parent: Change | undefined;
  readonly isRoot: boolean;
}

function visit(review: Review, tree: RuleTree, place: Place): void {
  const { value } = place;
  if (review.isOver || value === undefined || value === null) return;
  runRules(review, tree, place, value);
  if (Array.isArray(value)) return visitItems(review, tree, place, value as readonly Json[]);
  if (isJsonObject(value)) visitKeys(review, tree, place, value);
}

function visitItems(review: Review, { items, schema }: RuleTree, place: Place, list: readonly Json[]): void {
  if (items === undefined) return;
  for (const [index, value] of list.entries()) {
    const old = oldOfItem(schema, value, place.old);
    const path = indexPath(place.path, index);
    visit(review, items, { path, value, old, ...below(place, items.schema, { value, old }) });
  }
}

function visitKeys(review: Review, tree: RuleTree, place: Place, map: JsonObject): void {
  for (const [key, value] of Object.entries(map)) {
    if (tree.others === undefined || value === undefined) continue;
    const old = isJsonObject(place.old) && Object.hasOwn(place.old, key) ? place.old[key] : undefined;
    const path = keyPath(place.path, key);
    visit(review, tree.others, { path, value, old, ...below(place, tree.others.schema, { value, old }) });
  }
  for (const [key, part] of tree.properties) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (value === undefined) continue;
    const old = oldOfKey(tree.schema, key, place.old);
    const isTypeMeta = place.isRoot && (key === "apiVersion" || key === "kind");
    const change = isTypeMeta
      ? { change: undefined, parent: undefined, isRoot: false }
      : below(place, part.schema, { value, old });
    visit(review, part, { path: childPath(place.path, key), value, old, ...change });
  }
}

function below(
  place: Place,
  schema: Schema,
  { value, old }: { readonly value: Json; readonly old: Json | undefined },
): Pick<Place, "change" | "parent" | "isRoot"> {
  if (place.change === undefined) return { change: undefined, parent: place.parent, isRoot: false };
  return { change: old === undefined ? undefined : { value, old, schema }, parent: place.change, isRoot: false };
}

function isSettled({ change, parent }: Place): boolean {
  const nearest = change ?? parent;
  return nearest !== undefined && isWithoutChange(nearest);
}

/** Each failure in a list asks for the same one. */
const isWithoutChange = memoizeWeak(({ schema, value, old }: Change) => isUnchanged(schema, value, old));

function runRules(review: Review, tree: RuleTree, place: Place, value: Json): void {
  const { rules, fault } = tree;
  const type = tree.schema.type ?? "";
  if (fault !== undefined) {
    review.errors.push(invalid(fieldOf(place.path), type, `rule compiler initialization error: ${fault}`));
    return;
  }
  if (rules.length === 0) return;
  const schema = tree.isResource ? withTypeMeta(tree.schema) : tree.schema;
  const subject = { path: place.path, type, schema, value, old: place.old ?? undefined };
  for (const rule of rules) {
    const outcome = runRule(rule, subject, review.budget);
    review.budget -= outcome.cost;
    take(review, outcome, rule.usesOldSelf ? undefined : place);
    review.isOver = outcome.isLast;
    if (review.isOver) return;
  }
}

/** What a value fails that was there before is no reason to refuse it; failures to run a rule are. */
function take(review: Review, { failure, error }: RuleOutcome, place: Place | undefined): void {
  if (error !== undefined) review.errors.push(error);
  if (failure === undefined) return;
  if (place !== undefined && isSettled(place)) review.warnings.push(`${failure.field}: ${failure.message}`);
  else review.errors.push(failure);
}
