import { RE2JS } from "re2js";
import { foldedRanges } from "../core/pattern-cost.ts";

/**
 * What policies may cost. One unit is about one step: a name looked up, a comparison, 64 characters, 16 entries. It takes
 * 0.1 microseconds of CPU, and never more than half a microsecond.
 */
export interface PolicyLimits {
  /** Of one rule on one document. Default 50,000 (some milliseconds). */
  readonly unitsPerEvaluation: number;
  /** Of all rules on all documents together: this much, and `unitsPerDocument` for each document. Default 300,000. */
  readonly units: number;
  /** Default 2,000. */
  readonly unitsPerDocument: number;
  /** Of the expressions of all policies together; to compile one takes about a microsecond. Default 100,000. */
  readonly expressionCharacters: number;
}

export const defaultPolicyLimits: PolicyLimits = {
  unitsPerEvaluation: 50_000,
  units: 300_000,
  unitsPerDocument: 2_000,
  expressionCharacters: 100_000,
};

/**
 * Counts what an expression costs, and stops it. Counting steps instead of time keeps the verdict the same at review and
 * at reconcile, on a slow machine and on a fast one.
 */
export interface CelBudget {
  /** Starts one evaluation with `units`. */
  start(units: number): void;
  /** True once in each evaluation for each text. */
  isFirst(text: string): boolean;
  /** True when the evaluation was stopped; its result is then worth nothing. */
  isSpent(): boolean;
  /** Units spent since the last start. */
  spent(): number;
  /** Takes units for a large value (not for what it contains). */
  step(value: unknown): void;
  /** Takes units for a value and everything it contains. */
  weigh(value: unknown): void;
  /** Takes `units`. */
  take(units: number): void;
  /** Takes what an error costs, once for each error however often it is told of it on its way up. */
  fail(error: unknown): void;
}

const charactersPerUnit = 64;
const entriesPerUnit = 16;
const keysPerUnit = 1;
/** An error of the library carries a picture of the source, which costs more than a hundred steps. */
const unitsPerError = 100;

/** Thrown to stop an evaluation. One object for all: an expression that goes on in spite of it must not cost stacks. */
const spentError = new Error("the expression was stopped");

export function createBudget(): CelBudget {
  let left = -1;
  let given = 0;
  let lastError: unknown;
  const seen = new Set<string>();
  const take = (units: number) => {
    left -= units;
    if (left < 0) throw spentError;
  };
  return {
    start(units) {
      given = units;
      left = units;
      seen.clear();
    },
    isFirst(text) {
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    },
    isSpent: () => left < 0,
    spent: () => given - left,
    step: (value) => take(shallowUnits(value)),
    weigh(value) {
      // With a stack of its own: values may be nested deeper than calls can be.
      const pending: unknown[] = [value];
      while (pending.length > 0) {
        const next = pending.pop();
        take(1 + shallowUnits(next));
        if (Array.isArray(next)) for (const item of next) pending.push(item);
        else if (isPlainObject(next)) for (const item of Object.values(next)) pending.push(item);
      }
    },
    take,
    fail(error) {
      if (error === lastError || error === spentError) return;
      lastError = error;
      take(unitsPerError);
    },
  };
}

function shallowUnits(value: unknown): number {
  if (typeof value === "string") return value.length / charactersPerUnit;
  if (value instanceof Uint8Array) return value.length / charactersPerUnit;
  if (Array.isArray(value)) return value.length / entriesPerUnit;
  return isPlainObject(value) ? Object.keys(value).length / keysPerUnit : 0;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** `list.join(separator)` that counts the result before it makes it. */
export function joinWithin(budget: CelBudget, list: unknown, separator: unknown): string {
  if (!Array.isArray(list) || typeof separator !== "string") throw new TypeError("join() takes a list of texts");
  const items: string[] = [];
  let length = 0;
  for (const item of list) {
    if (typeof item !== "string") throw new TypeError("join() takes a list of texts");
    length += item.length + separator.length;
    items.push(item);
  }
  budget.take(items.length / entriesPerUnit + length / charactersPerUnit);
  return items.join(separator);
}

const maximumPatternLength = 1000;
const maximumPatterns = 100;
/** What counted repetition adds to the cost of compiling a pattern: RE2 repeats a part at most a thousand times. */
const repetitionUnits = 500;
const foldedRangeUnits = 10_000;
const instructionsPerUnit = 32;

/**
 * `text.matches(pattern)` by RE2: time in proportion to the length of both, whatever the pattern. (The library's own
 * function uses the regular expressions of JavaScript, which one bad pattern stops for hours.) What it costs does not
 * depend on what was matched before.
 */
export function createMatcher(budget: CelBudget): (text: unknown, pattern: unknown) => boolean {
  const compiled = new Map<string, RE2JS>();
  return (text, pattern) => {
    if (typeof text !== "string" || typeof pattern !== "string") throw new TypeError("matches() takes texts");
    if (pattern.length > maximumPatternLength) throw new RangeError("the pattern is too long");
    // Charged in every evaluation, compiled or not: what a rule costs must not depend on what came before it.
    if (budget.isFirst(pattern)) budget.take(compileUnits(pattern));
    let expression = compiled.get(pattern);
    if (expression === undefined) {
      expression = RE2JS.compile(pattern);
      if (compiled.size >= maximumPatterns) compiled.clear();
      compiled.set(pattern, expression);
    }
    budget.take(1 + (text.length * expression.programSize()) / instructionsPerUnit);
    return expression.matcher(text).find();
  };
}

function compileUnits(pattern: string): number {
  const repetition = pattern.includes("{") ? repetitionUnits : 0;
  return 1 + pattern.length / 2 + repetition + foldedRanges(pattern) * foldedRangeUnits;
}
