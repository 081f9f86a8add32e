import type { CelType } from "./cel-type.ts";
import { parseType, splitTop } from "./cel-type.ts";
import type { CelValue } from "./cel-value.ts";
import { isKind } from "./cel-value.ts";

/** One form of a function. Of a method the target is the first parameter. */
export interface Overload {
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly run: (...values: CelValue[]) => CelValue;
  /** What a call costs, in the units of Kubernetes; default 1. What takes time to find out is charged by `meter`. */
  readonly cost?: (values: readonly CelValue[], meter: Meter) => number;
}

/** What a function may ask and charge before it runs. */
export interface Meter {
  /** Charges `units`. Throws a fatal CelError when nothing is left. */
  readonly take: (units: number) => void;
  /** True once in each evaluation for each text. */
  readonly isFirst: (text: string) => boolean;
}

/** Functions by name; methods have a dot in front (`.size`). */
export type Library = ReadonlyMap<string, readonly Overload[]>;

export interface Declaration {
  readonly key: string;
  readonly overload: Overload;
}

/**
 * Declares a function by its signature: `size(string): int`, a method `string.contains(string): bool`, a function with a
 * dotted name `optional.of(A): optional<A>` (its first part is no type).
 */
export function declare(signature: string, run: Overload["run"], cost?: Overload["cost"]): Declaration {
  const match = /^(.*?)\(([^()]*)\):(.*)$/su.exec(signature);
  const head = (match?.[1] ?? "").trim();
  const parameters = splitTop(match?.[2] ?? "").map(parseType);
  const result = parseType(match?.[3] ?? "dyn");
  const method = /^(.+)\.([A-Za-z0-9_]+)$/u.exec(head);
  const target = method === null || isNamespace(method[1] ?? "") ? undefined : parseType(method[1] ?? "");
  const costs = cost === undefined ? {} : { cost };
  if (target === undefined) return { key: head, overload: { parameters, result, run, ...costs } };
  return { key: `.${method?.[2] ?? ""}`, overload: { parameters: [target, ...parameters], result, run, ...costs } };
}

/** Names in front of functions that are no types. */
function isNamespace(name: string): boolean {
  return ["optional", "sets", "format", "ip", "strings"].includes(name);
}

export function makeLibrary(declarations: readonly Declaration[]): Library {
  const library = new Map<string, Overload[]>();
  for (const { key, overload } of declarations) library.set(key, [...(library.get(key) ?? []), overload]);
  return library;
}

/** The first overload whose parameters fit the values. */
export function findOverload(overloads: readonly Overload[], values: readonly CelValue[]): Overload | undefined {
  return overloads.find(
    ({ parameters }) =>
      parameters.length === values.length &&
      parameters.every((parameter, index) => fits(parameter, values[index] ?? null)),
  );
}

function fits(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case "dyn":
    case "param":
      return true;
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "null_type":
      return value === null;
    case "opaque":
    case "object":
      return (isKind(value, "opaque") || isKind(value, "object")) && value.typeName === type.name;
    default:
      return isKind(value, type.kind);
  }
}

/** How large a value is for the costs of functions: characters, bytes, items; 1 for the rest. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (value === undefined) return 1;
  if (isKind(value, "list")) return value.size;
  return isKind(value, "map") ? value.keys.length : 1;
}

/** The cost of reading a text once. */
export function traversalCost(...values: (CelValue | undefined)[]): number {
  return Math.ceil(values.reduce((sum: number, value) => sum + sizeOf(value), 0) * 0.1);
}
