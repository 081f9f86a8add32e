import type { CelType } from "./cel-type.ts";
import { boolType, describeType, dyn, listOf, mapOf, resolve, settle } from "./cel-type.ts";
import type { Checker, Variables } from "./checker.ts";
import { assign, callType, expectBool, freeType, report } from "./checker.ts";
import type { Expression } from "./expression.ts";

type Macro = Extract<Expression, { readonly kind: "macro" }>;

interface Surroundings {
  readonly variables: Variables;
  readonly typeOf: (checker: Checker, expression: Expression, variables: Variables) => CelType;
}

const int: CelType = { kind: "int" };

/** The type of a macro, with its variables in scope of its arguments. */
export function macroType(checker: Checker, macro: Macro, { variables, typeOf }: Surroundings): CelType {
  const target = resolve(typeOf(checker, macro.target, variables), checker.bindings);
  if (macro.macro === "optMap" || macro.macro === "optFlatMap") {
    callType(checker, { position: macro.position, key: ".hasValue" }, [target]);
    const value = callType(checker, { position: macro.position, key: ".value" }, [target]);
    const [body] = argumentTypes(checker, macro, { variables, typeOf }, [value]);
    if (macro.macro === "optMap") return { kind: "optional", value: body ?? dyn };
    const none: CelType = { kind: "optional", value: freeType(checker) };
    return callType(checker, { position: macro.position, key: "_?_:_" }, [boolType, body ?? dyn, none]);
  }
  const range = rangeTypes(checker, macro, target);
  const types = argumentTypes(
    checker,
    macro,
    { variables, typeOf },
    macro.variables.length === 2 ? range : range.slice(0, 1),
  );
  const result = types.at(-1) ?? dyn;
  const key = range[0] ?? dyn;
  switch (macro.macro) {
    case "all":
    case "exists":
      for (const predicate of macro.arguments) expectBool(checker, predicate, result);
      return boolType;
    case "exists_one":
    case "existsOne":
      expectCondition(checker, macro, result, int);
      return boolType;
    case "filter":
      expectCondition(checker, macro, result, listOf(key));
      return listOf(key);
    case "map":
    case "transformList":
      if (types.length === 2) expectCondition(checker, macro, types[0] ?? dyn, listOf(result));
      return listOf(result);
    case "transformMap":
      if (types.length === 2) expectCondition(checker, macro, types[0] ?? dyn, mapOf(key, result));
      return mapOf(key, result);
    case "transformMapEntry":
      if (types.length === 2) expectCondition(checker, macro, types[0] ?? dyn, asMap(result));
      return mergedType(checker, macro, result);
  }
}

/** An unknown entry counts as a map: what it is added to is one. */
function asMap(type: CelType): CelType {
  return type.kind === "dyn" ? mapOf(dyn, dyn) : type;
}

/** The type of the map that entries, themselves maps, are added to. */
function mergedType(checker: Checker, macro: Macro, entry: CelType): CelType {
  const merged = mapOf(freeType(checker), freeType(checker));
  if (assign(checker, merged, entry)) return resolve(merged, checker.bindings);
  const name = describeType(settle(entry, checker.bindings));
  const text = `found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), ${name})'`;
  report(checker, macro.position, text);
  return mapOf(dyn, dyn);
}

function argumentTypes(
  checker: Checker,
  macro: Macro,
  { variables, typeOf }: Surroundings,
  types: readonly CelType[],
): CelType[] {
  const inner = new Map(variables);
  for (const [index, name] of macro.variables.entries()) inner.set(name, types[index] ?? dyn);
  return macro.arguments.map((argument) => typeOf(checker, argument, inner));
}

/** The types of one or two variables: items of lists (or their indexes and they), keys of maps (or keys and values). */
function rangeTypes(checker: Checker, macro: Macro, range: CelType): readonly CelType[] {
  const isOfTwo = macro.variables.length === 2;
  switch (range.kind) {
    case "list":
      return isOfTwo ? [int, range.element] : [range.element];
    case "map":
      return [range.key, range.value];
    case "param":
      assign(checker, dyn, range);
      return [dyn, dyn];
    case "dyn":
      return [dyn, dyn];
    default: {
      const name = describeType(settle(range, checker.bindings));
      const text = `expression of type '${name}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      report(checker, macro.target.position, text);
      return [dyn, dyn];
    }
  }
}

function expectCondition(checker: Checker, macro: Macro, condition: CelType, result: CelType): void {
  callType(checker, { position: macro.position, key: "_?_:_" }, [condition, result, result]);
}
