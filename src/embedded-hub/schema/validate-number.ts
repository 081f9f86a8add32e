import { goFloat, goNumber } from "../../core/formats/go-format.ts";
import type { Schema } from "./schema.ts";
import type { Finding, Result } from "./validation-result.ts";
import { addFindings, newResult } from "./validation-result.ts";

/** multipleOf, minimum and maximum. Limits of whole numbers are cut to whole numbers, as an API server does. */
export function validateNumber(schema: Schema, written: number | bigint, path: string): Result {
  const result = newResult();
  // Limits are floats: an API server compares with them as a float too.
  const value = Number(written);
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const isWhole = Number.isInteger(value);
  const limitOf = (limit: number): number => (isWhole ? Math.trunc(limit) : limit);
  const print = (limit: number): string => (isWhole ? goNumber(Math.trunc(limit)) : goFloat(limit));
  const refuse = (sentence: string): void => {
    const finding: Finding = { path, rule: "other", text: `${path} in body ${sentence}`, value: written };
    addFindings(result, finding);
  };
  if (multipleOf !== undefined) {
    const factor = limitOf(multipleOf);
    if (factor <= 0) {
      const text = `factor MultipleOf declared for ${path} must be positive: ${print(multipleOf)}`;
      addFindings(result, { path, rule: "other", text, value: factor });
    } else if (!isMultiple(value, factor)) refuse(`should be a multiple of ${print(multipleOf)}`);
  }
  if (minimum !== undefined) {
    const limit = limitOf(minimum);
    if (exclusiveMinimum && value <= limit) refuse(`should be greater than ${print(minimum)}`);
    if (!exclusiveMinimum && value < limit) refuse(`should be greater than or equal to ${print(minimum)}`);
  }
  if (maximum !== undefined) {
    const limit = limitOf(maximum);
    if (exclusiveMaximum && value >= limit) refuse(`should be less than ${print(maximum)}`);
    if (!exclusiveMaximum && value > limit) refuse(`should be less than or equal to ${print(maximum)}`);
  }
  result.matches++;
  return result;
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const nearest = Math.round(quotient);
  return Math.abs(quotient - nearest) <= 1e-9 * Math.max(1, Math.abs(quotient));
}
