import type { PatternBudget } from "../core/formats/patterns.ts";
import { compilePattern, faultOfPattern } from "../core/formats/patterns.ts";
import { parseTime } from "../core/formats/rfc3339.ts";
import type { CelType } from "./cel-type.ts";
import { describeType } from "./cel-type.ts";
import type { CelValue } from "./cel-value.ts";
import type { Expression, Issue } from "./expression.ts";
import { partsOf } from "./expression-parts.ts";
import { formatFault } from "./format-fault.ts";
import { parseDurationNanos } from "./go-duration.ts";
import { isMoment } from "./library-operators.ts";

type TypeOf = (part: Expression) => CelType;

/**
 * What is wrong with literals of an expression that is well typed: items of different types, and texts that a function
 * will never take. Source: Kubernetes 1.34, the validators of its CEL environment.
 */
export function findLiteralFaults(expression: Expression, typeOf: TypeOf, isInFormat = false): Issue[] {
  const own = [
    ...(isInFormat ? [] : mixtures(expression, typeOf)),
    ...[textFault(expression), formatFault(expression, typeOf)].filter((issue) => issue !== undefined),
  ];
  const isFormat = isInFormat || (expression.kind === "call" && expression.name === "format");
  return [...own, ...partsOf(expression).flatMap((part) => findLiteralFaults(part, typeOf, isFormat))];
}

function mixtures(expression: Expression, typeOf: TypeOf): Issue[] {
  if (expression.kind === "list") return differing(expression.items, typeOf, expression.optionals).slice(0, 1);
  if (expression.kind !== "map") return [];
  const keys = expression.entries.map(([key]) => key);
  const values = expression.entries.map(([, value]) => value);
  return [...differing(keys, typeOf), ...differing(values, typeOf, expression.optionals)];
}

function differing(parts: readonly Expression[], typeOf: TypeOf, optionals?: ReadonlySet<number>): Issue[] {
  const namesOfTypes = parts.map((part, index) => {
    const type = typeOf(part);
    return describeType(optionals?.has(index) === true && type.kind === "optional" ? type.value : type);
  });
  const [expected] = namesOfTypes;
  return parts.flatMap((part, index) => {
    const found = namesOfTypes[index];
    if (found === expected) return [];
    return [{ position: part.position, message: `expected type '${expected}' but found '${found}'` }];
  });
}

function textFault(expression: Expression): Issue | undefined {
  if (expression.kind !== "call") return undefined;
  const { name } = expression;
  // Of `matches(text, pattern)`, too, an API server checks the first one.
  const [argument] = expression.arguments;
  if (argument?.kind !== "literal") return undefined;
  const isFault =
    typeof argument.value === "string"
      ? isTextFault(expression, argument.value)
      : isIntFault(expression, argument.value);
  return isFault ? { position: argument.position, message: `invalid ${name} argument` } : undefined;
}

/** Why the pattern of a function is none, when it is a literal. */
export function patternFault(expression: Expression): string | undefined {
  if (expression.kind !== "call" || !patternFunctions.has(expression.name)) return undefined;
  const pattern = expression.arguments[expression.target === undefined ? 1 : 0];
  return pattern?.kind === "literal" && typeof pattern.value === "string" ? faultOfPattern(pattern.value) : undefined;
}

/** The first literal that may be a pattern, and that takes too much to compile beside those of before. */
export function findTooLargePattern(expression: Expression, budget: PatternBudget): Issue | undefined {
  const literals = expression.kind === "call" && patternFunctions.has(expression.name) ? expression.arguments : [];
  const tooLarge = literals.find(
    (one) => one.kind === "literal" && typeof one.value === "string" && !budget.takes(one.value),
  );
  if (tooLarge !== undefined) return { position: tooLarge.position, message: "patterns are too large" };
  for (const part of partsOf(expression)) {
    const issue = findTooLargePattern(part, budget);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

const patternFunctions = new Set(["matches", "find", "findAll"]);

type Call = Extract<Expression, { readonly kind: "call" }>;

function isTextFault({ name, target }: Call, text: string): boolean {
  return (
    (name === "matches" && compilePattern(text) === undefined) ||
    (name === "duration" && target === undefined && parseDurationNanos(text) === undefined) ||
    (name === "timestamp" && target === undefined && !isMomentText(text))
  );
}

function isMomentText(text: string): boolean {
  const read = parseTime(text);
  return !("error" in read) && isMoment(BigInt(read.seconds));
}

/** No whole number is a duration, and of those that count seconds not all are moments. */
function isIntFault({ name, target }: Call, value: CelValue): boolean {
  if (typeof value !== "bigint" || target !== undefined) return false;
  return name === "duration" || (name === "timestamp" && !isMoment(value));
}
