import type { ASTNode } from "@marcbachmann/cel-js";
import { Environment } from "@marcbachmann/cel-js";
import { Duration } from "@marcbachmann/cel-js/evaluator";
import { parseGoDuration } from "../core/duration.ts";
import { boundNames } from "./bound-expression.ts";
import type { CelBudget } from "./cel-budget.ts";
import { createMatcher, joinWithin } from "./cel-budget.ts";

const limits = { maxAstNodes: 2000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500 };

/** What an author writes in: the language of Kubernetes' validation rules with `object`, `oldObject` and `path`. */
export function createAuthorEnvironment(): Environment {
  return new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits })
    .registerVariable("object", "map")
    .registerVariable("oldObject", "dyn")
    .registerVariable("path", "string");
}

/** What is evaluated: the same language with the functions that a bounded expression calls. */
export function createBoundEnvironment(budget: CelBudget): Environment {
  return createAuthorEnvironment()
    .clone({ limits: { maxAstNodes: 100_000, maxDepth: 600, maxListElements: 500, maxMapEntries: 500 } })
    .registerFunction(
      `${boundNames.step}(ast): dyn`,
      measure(budget, (value) => budget.step(value)),
    )
    .registerFunction(
      `${boundNames.weigh}(ast): dyn`,
      measure(budget, (value) => budget.weigh(value)),
    )
    .registerFunction(`${boundNames.join}(dyn): string`, (list: unknown) => joinWithin(budget, list, ""))
    .registerFunction(`${boundNames.join}(dyn, dyn): string`, (list: unknown, separator: unknown) =>
      joinWithin(budget, list, separator),
    )
    .registerFunction(`${boundNames.matches}(dyn, dyn): bool`, createMatcher(budget))
    .registerFunction(`${boundNames.duration}(dyn): google.protobuf.Duration`, goDuration);
}

interface MacroParts {
  readonly args: readonly ASTNode[];
}

interface Visitor<T> {
  check(node: ASTNode, context: unknown): T;
  run(node: ASTNode, context: unknown): unknown;
}

/** A macro that evaluates its argument, hands the value to `take`, and has the argument's type. */
function measure(budget: CelBudget, take: (value: unknown) => void): (parts: MacroParts) => unknown {
  const evaluateInner = (evaluator: Visitor<unknown>, inner: ASTNode, context: unknown): unknown => {
    // Before anything else: a loop that goes on in spite of a spent budget must cost next to nothing.
    budget.take(1);
    try {
      return evaluator.run(inner, context);
    } catch (error) {
      budget.fail(error);
      throw error;
    }
  };
  return ({ args }) => {
    const [inner] = args;
    if (inner === undefined) throw new TypeError("the macro takes one argument");
    return {
      async: false,
      typeCheck: (checker: Visitor<unknown>, _macro: unknown, context: unknown) => checker.check(inner, context),
      evaluate: (evaluator: Visitor<unknown>, _macro: unknown, context: unknown) => {
        const value = evaluateInner(evaluator, inner, context);
        take(value);
        return value;
      },
    };
  };
}

/** `duration("720h")` as Go reads it; the library's own knows neither `0` nor that `h` alone is none. */
function goDuration(text: unknown): Duration {
  const durationMs = typeof text === "string" && text.length <= 64 ? parseGoDuration(text) : undefined;
  if (durationMs === undefined || !Number.isFinite(durationMs)) throw new RangeError("duration(): not a Go duration");
  const seconds = Math.trunc(durationMs / 1000);
  return new Duration(BigInt(seconds), Math.round((durationMs - seconds * 1000) * 1e6));
}
