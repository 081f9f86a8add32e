import type { Bindings, CelType } from "./cel-type.ts";
import { boolType, describeType, dyn, listOf, mapOf, resolve, settle, unify } from "./cel-type.ts";
import type { Expression, Issue } from "./expression.ts";
import type { Library } from "./overload.ts";

/** One check of an expression while it runs. */
export interface Checker {
  readonly library: Library;
  readonly issues: Issue[];
  /** What each part turned out to be. */
  readonly types: Map<Expression, CelType>;
  readonly bindings: Bindings;
  freeTypeCount: number;
}

export type Variables = ReadonlyMap<string, CelType>;

export function report(checker: Checker, position: number, message: string): void {
  checker.issues.push({ position, message });
}

export function expectBool(checker: Checker, operand: Expression, type: CelType): void {
  if (assign(checker, boolType, type)) return;
  const found = describeType(resolve(type, checker.bindings));
  report(checker, operand.position, `expected type 'bool' but found '${found}'`);
}

/** True when `actual` fits; only then its bindings of unknown types are kept. */
export function assign(checker: Checker, expected: CelType, actual: CelType): boolean {
  return assignAll(checker, [expected], [actual]);
}

export function freeType(checker: Checker): CelType {
  return { kind: "param", name: `_var${checker.freeTypeCount++}` };
}

/** The result of a function: of the one overload that fits, or dyn when several with different results do. */
export function callType(
  checker: Checker,
  { key, position }: { readonly key: string; readonly position: number },
  types: readonly CelType[],
): CelType {
  let result: CelType | undefined;
  for (const overload of checker.library.get(key) ?? []) {
    if (overload.parameters.length !== types.length) continue;
    const fresh: Bindings = new Map();
    const instance = (type: CelType): CelType => instantiate(checker, type, fresh);
    const parameters = overload.parameters.map(instance);
    if (!assignAll(checker, parameters, types)) continue;
    const type = resolve(instance(overload.result), checker.bindings);
    if (result === undefined) result = type;
    else if (result.kind !== "dyn" && describeType(result) !== describeType(type)) result = dyn;
  }
  if (result !== undefined) return result;
  const isMethod = key.startsWith(".");
  const [first = "", ...rest] = types.map((type) => describeType(settle(type, checker.bindings)));
  const applied = isMethod ? `${first}.(${rest.join(", ")})` : `(${[first, ...rest].join(", ")})`;
  const name = isMethod ? key.slice(1) : key;
  report(checker, position, `found no matching overload for '${name}' applied to '${applied}'`);
  return dyn;
}

/** The type with its parameters replaced by new unknowns; the same parameter by the same unknown. */
function instantiate(checker: Checker, type: CelType, fresh: Bindings): CelType {
  switch (type.kind) {
    case "param": {
      const known = fresh.get(type.name) ?? freeType(checker);
      fresh.set(type.name, known);
      return known;
    }
    case "list":
      return listOf(instantiate(checker, type.element, fresh));
    case "map":
      return mapOf(instantiate(checker, type.key, fresh), instantiate(checker, type.value, fresh));
    case "optional":
      return { kind: "optional", value: instantiate(checker, type.value, fresh) };
    case "type":
      return type.value === undefined ? type : { kind: "type", value: instantiate(checker, type.value, fresh) };
    default:
      return type;
  }
}

function assignAll(checker: Checker, expected: readonly CelType[], actual: readonly CelType[]): boolean {
  const added = new Map<string, CelType>();
  const trial: Bindings = {
    get: (parameter) => added.get(parameter) ?? checker.bindings.get(parameter),
    set: (parameter, type) => void added.set(parameter, type),
  };
  if (!expected.every((type, index) => unify(type, actual[index] ?? dyn, trial))) return false;
  for (const [parameter, type] of added) checker.bindings.set(parameter, type);
  return true;
}
