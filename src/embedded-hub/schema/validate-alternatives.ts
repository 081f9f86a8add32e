import type { Schema } from "./schema.ts";
import type { Finding, Result } from "./validation-result.ts";
import { addFindings, isClean, merge, newResult } from "./validation-result.ts";

/** anyOf, oneOf, allOf and not. `check` validates the same value against one of them. */
export function validateAlternatives(schema: Schema, path: string, check: (alternative: Schema) => Result): Result {
  const result = newResult();
  checkAnyOf(result, schema, path, check);
  checkOneOf(result, schema, path, check);
  checkAllOf(result, schema, path, check);
  if (schema.not !== undefined && isClean(check(schema.not))) {
    addFindings(result, about(path, "must not validate the schema (not)"));
  }
  result.matches++;
  return result;
}

function about(path: string, sentence: string): Finding {
  return { rule: "other", text: `${JSON.stringify(path)} ${sentence}` };
}

function bestOf(failures: readonly Result[]): Result | undefined {
  let best: Result | undefined;
  for (const failure of failures) if (best === undefined || failure.matches > best.matches) best = failure;
  return best;
}

function checkAnyOf(result: Result, { anyOf }: Schema, path: string, check: (alternative: Schema) => Result): void {
  if (anyOf === undefined || anyOf.length === 0) return;
  const failures: Result[] = [];
  for (const alternative of anyOf) {
    const outcome = check(alternative);
    if (isClean(outcome)) {
      merge(result, outcome);
      return;
    }
    failures.push(outcome);
  }
  addFindings(result, about(path, "must validate at least one schema (anyOf)"));
  const best = bestOf(failures);
  if (best !== undefined) merge(result, best);
}

function checkOneOf(result: Result, { oneOf }: Schema, path: string, check: (alternative: Schema) => Result): void {
  if (oneOf === undefined || oneOf.length === 0) return;
  let firstSuccess: Result | undefined;
  let successes = 0;
  let best: Result | undefined;
  for (const alternative of oneOf) {
    const outcome = check(alternative);
    if (isClean(outcome)) {
      successes++;
      best = undefined;
      firstSuccess ??= outcome;
    } else if (successes === 0 && (best === undefined || outcome.matches > best.matches)) {
      best = outcome;
    }
  }
  if (successes === 1 && firstSuccess !== undefined) {
    merge(result, firstSuccess);
    return;
  }
  const found = successes === 0 ? "Found none valid" : `Found ${successes} valid alternatives`;
  addFindings(result, about(path, `must validate one and only one schema (oneOf). ${found}`));
  if (best !== undefined) merge(result, best);
}

function checkAllOf(result: Result, { allOf }: Schema, path: string, check: (alternative: Schema) => Result): void {
  if (allOf === undefined || allOf.length === 0) return;
  const outcomes = allOf.map(check);
  for (const outcome of outcomes) merge(result, outcome);
  const successes = outcomes.filter(isClean).length;
  if (successes === outcomes.length) return;
  addFindings(result, about(path, `must validate all the schemas (allOf)${successes === 0 ? ". None validated" : ""}`));
}
