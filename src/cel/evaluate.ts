import type { CelValue } from "./cel-value.ts";
import { CelError, celList, celMap, isKind, noSuchOverload } from "./cel-value.ts";
import type { Evaluate, Run, Slots } from "./evaluation.ts";
import { absorbable, charge } from "./evaluation.ts";
import { compileMacro } from "./evaluate-macro.ts";
import type { Expression } from "./expression.ts";
import { itemAt, optionalItemAt } from "./library-index.ts";
import { takeText } from "./nested-cost.ts";
import { isTypeName, qualifiedNameOf, resolveCall } from "./names.ts";
import type { Library } from "./overload.ts";
import { findOverload } from "./overload.ts";

/** What names mean while an expression is compiled. */
export interface CompileScope {
  readonly library: Library;
  /** Where the values of variables are. */
  readonly slots: Slots;
}

/** Makes a function of an expression. Names that are no variables and no types throw a CelError when they are used. */
export function compile(expression: Expression, scope: CompileScope): Evaluate {
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "identifier":
      return compileName(expression.name, scope);
    case "select":
      return compileSelect(expression, scope);
    case "presence":
      return compilePresence(expression, scope);
    case "index": {
      const operand = compile(expression.operand, scope);
      const index = compile(expression.index, scope);
      const get = expression.isOptional ? optionalItemAt : itemAt;
      return (run) => {
        const value = operand(run);
        charge(run, 1);
        const key = index(run);
        takeText(key, run.meter);
        return get(value, key);
      };
    }
    case "call":
      return compileCall(expression, scope);
    case "list": {
      const { optionals } = expression;
      const items = expression.items.map((item) => compile(item, scope));
      return (run) => {
        charge(run, 10);
        return celList(items.flatMap((item, index) => itemsOfLiteral(item(run), optionals?.has(index) === true)));
      };
    }
    case "map": {
      const { optionals } = expression;
      const entries = expression.entries.map(([key, value]) => [compile(key, scope), compile(value, scope)] as const);
      return (run) => {
        charge(run, 30);
        return celMap(
          entries.flatMap(([keyOf, valueOf], index) => {
            const key = keyOf(run);
            takeText(key, run.meter);
            const values = itemsOfLiteral(valueOf(run), optionals?.has(index) === true);
            return values.map((value) => [key, value] as const);
          }),
        );
      };
    }
    case "and":
    case "or":
      return compileLogic(expression, scope);
    case "ternary": {
      const condition = compile(expression.condition, scope);
      const then = compile(expression.then, scope);
      const otherwise = compile(expression.otherwise, scope);
      return (run) => {
        const value = condition(run);
        if (typeof value !== "boolean") throw new CelError(noSuchOverload);
        return value ? then(run) : otherwise(run);
      };
    }
    case "macro":
      return compileMacro(expression, scope.slots, (part, slots) => compile(part, { ...scope, slots }));
  }
}

/** What a literal gets of an item: none of an optional without value. */
function itemsOfLiteral(value: CelValue, isOptional: boolean): readonly CelValue[] {
  if (!isOptional) return [value];
  if (!isKind(value, "optional")) throw new CelError("cannot initialize optional element from non-optional value");
  return value.value === undefined ? [] : [value.value];
}

function compileName(name: string, { slots }: CompileScope): Evaluate {
  const slot = slots.get(name);
  if (slot === undefined) {
    return () => {
      if (isTypeName(name)) return { kind: "type", name };
      throw new CelError(() => `no such attribute(s): ${name}`);
    };
  }
  return (run) => {
    charge(run, 1);
    return valueAt(run, slot);
  };
}

function valueAt(run: Run, slot: number): CelValue {
  return run.values[slot] ?? null;
}

function compileSelect(expression: Extract<Expression, { readonly kind: "select" }>, scope: CompileScope): Evaluate {
  const qualified = qualifiedNameOf(expression);
  if (qualified !== undefined && isTypeName(qualified)) return () => ({ kind: "type", name: qualified });
  const operand = compile(expression.operand, scope);
  const { field, isOptional } = expression;
  return (run) => {
    const value = operand(run);
    charge(run, 1);
    if (isOptional || isKind(value, "optional")) return optionalField(value, field);
    const selected = fieldOf(value, field);
    if (selected === undefined) throw new CelError(() => `no such key: ${field}`);
    return selected;
  };
}

/** What has no fields at all just lacks this one; a list has positions. */
function fieldOf(value: CelValue, field: string): CelValue | undefined {
  if (isKind(value, "list")) throw new CelError("unsupported index type 'string' in list");
  return isKind(value, "object") || isKind(value, "map") ? value.get(field) : undefined;
}

function optionalField(value: CelValue, field: string): CelValue {
  if (!isKind(value, "optional")) return { kind: "optional", value: fieldOf(value, field) };
  return value.value === undefined ? value : { kind: "optional", value: fieldOf(value.value, field) };
}

function compilePresence(
  expression: Extract<Expression, { readonly kind: "presence" }>,
  scope: CompileScope,
): Evaluate {
  const operand = compile(expression.operand, scope);
  const { field } = expression;
  return (run) => {
    const value = operand(run);
    const owner = isKind(value, "optional") ? value.value : value;
    return owner !== undefined && fieldOf(owner, field) !== undefined;
  };
}

function compileCall(call: Extract<Expression, { readonly kind: "call" }>, scope: CompileScope): Evaluate {
  const { key, operands } = resolveCall(call, scope.library);
  const overloads = scope.library.get(key) ?? [];
  const parts = operands.map((operand) => compile(operand, scope));
  const isAlternative = key === ".or" || key === ".orValue";
  return (run) => {
    const values: CelValue[] = [];
    for (const part of parts) {
      const value = part(run);
      // An optional that has a value has no need of another, which may fail.
      if (isAlternative && values.length === 0 && isKind(value, "optional") && value.value !== undefined) {
        charge(run, 1);
        return key === ".or" ? value : value.value;
      }
      values.push(value);
    }
    const overload = findOverload(overloads, values);
    if (overload === undefined) throw new CelError(noSuchOverload);
    // Before it runs: a text replaced by a text can be longer than any memory.
    charge(run, overload.cost?.(values, run.meter) ?? 1);
    return overload.run(...values);
  };
}

/** `false && failure` is false, whatever comes first; `true || failure` is true. */
function compileLogic(expression: Extract<Expression, { readonly kind: "and" | "or" }>, scope: CompileScope): Evaluate {
  const deciding = expression.kind === "or";
  const left = compile(expression.left, scope);
  const right = compile(expression.right, scope);
  return (run) => {
    const first = outcome(left, run);
    if (first === deciding) return deciding;
    const second = outcome(right, run);
    if (second === deciding) return deciding;
    for (const value of [first, second]) {
      if (value instanceof CelError) throw value;
      if (typeof value !== "boolean") throw new CelError(noSuchOverload);
    }
    return !deciding;
  };
}

function outcome(evaluate: Evaluate, run: Run): CelValue | CelError {
  try {
    return evaluate(run);
  } catch (error) {
    return absorbable(error);
  }
}
