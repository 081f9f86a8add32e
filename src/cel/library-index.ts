import type { CelValue } from "./cel-value.ts";
import { CelError, describeValue, isKind, typeNameOf } from "./cel-value.ts";
import type { Declaration } from "./overload.ts";
import { declare } from "./overload.ts";

/** The item at an index or key, or undefined: what has no items just lacks it. Throws when a list has no such indexes. */
function lookUp(value: CelValue, index: CelValue): CelValue | undefined {
  if (isKind(value, "map")) return value.get(index);
  if (isKind(value, "object")) return typeof index === "string" ? value.get(index) : undefined;
  if (!isKind(value, "list")) return undefined;
  const position = positionOf(index, value.isOfSchema === true);
  return position >= 0 && position < value.size ? value.at(position) : undefined;
}

/** Whole numbers of any type are positions; in lists of a schema, an int only. Source: cel-go 0.26, IndexOrError. */
function positionOf(index: CelValue, isOfSchema: boolean): number {
  if (typeof index === "bigint") return Number(index);
  const type = typeNameOf(index);
  if (type === "string" || type === "bool") throw new CelError(`unsupported index type '${type}' in list`);
  if (isOfSchema) throw new CelError(() => `unsupported index: ${describeValue(index)}`);
  if (isKind(index, "uint")) return Number(index.value);
  if (typeof index !== "number") throw new CelError(() => `unsupported index type '${type}' in list`);
  if (!Number.isInteger(index)) throw new CelError(() => `unsupported index value ${describeValue(index)} in list`);
  return index;
}

/** `value[index]`: what is missing is a failure. */
export function itemAt(value: CelValue, index: CelValue): CelValue {
  if (isKind(value, "optional")) return optionalItemAt(value, index);
  const item = lookUp(value, index);
  if (item !== undefined) return item;
  if (isKind(value, "list")) throw new CelError(() => `index out of bounds: ${describeValue(index)}`);
  throw new CelError(() => `no such key: ${describeValue(index)}`);
}

/** `value[?index]`: what is missing is an optional without value. */
export function optionalItemAt(value: CelValue, index: CelValue): CelValue {
  if (!isKind(value, "optional")) return { kind: "optional", value: lookUp(value, index) };
  return value.value === undefined ? value : optionalItemAt(value.value, index);
}

function indexing(name: string, run: typeof itemAt, isOptional: boolean): Declaration[] {
  const wrap = (type: string, isWrapped: boolean): string => (isWrapped ? `optional<${type}>` : type);
  return [false, true].flatMap((isChained) => [
    declare(
      `${name}(${wrap("list<A>", isChained)}, int): ${wrap("A", isOptional || isChained)}`,
      (value = null, index = null) => run(value, index),
    ),
    declare(
      `${name}(${wrap("map<A, B>", isChained)}, A): ${wrap("B", isOptional || isChained)}`,
      (value = null, index = null) => run(value, index),
    ),
  ]);
}

export const indexLibrary: readonly Declaration[] = [
  ...indexing("_[_]", itemAt, false),
  ...indexing("_[?_]", optionalItemAt, true),
  // Evaluated without its other branch, so never called: declared for its types.
  declare("_?_:_(bool, A, A): A", (isTrue, then = null, otherwise = null) => (isTrue === true ? then : otherwise)),
];
