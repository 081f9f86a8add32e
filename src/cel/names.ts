import type { CelType } from "./cel-type.ts";
import { parseType } from "./cel-type.ts";
import { partsOf } from "./expression-parts.ts";
import type { Expression } from "./expression.ts";
import type { Library } from "./overload.ts";

/** `a.b.c` when the expression is nothing but names with dots between. */
export function qualifiedNameOf(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  if (expression.kind !== "select" || expression.isOptional) return undefined;
  const prefix = qualifiedNameOf(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

/** A call as it is meant: `optional.of(x)` has no target, although it is written as if it had one. */
export function resolveCall(
  call: Extract<Expression, { readonly kind: "call" }>,
  library: Library,
): { readonly key: string; readonly operands: readonly Expression[] } {
  const { target, name } = call;
  if (target === undefined) return { key: name, operands: call.arguments };
  const prefix = qualifiedNameOf(target);
  const qualified = `${prefix ?? ""}.${name}`;
  if (prefix !== undefined && library.has(qualified)) return { key: qualified, operands: call.arguments };
  return { key: `.${name}`, operands: [target, ...call.arguments] };
}

/** Names of types are values of the language. Of the libraries of Kubernetes, only those of addresses are. */
const typeNames: ReadonlyMap<string, CelType> = new Map([
  ...["bool", "bytes", "double", "int", "net.CIDR", "net.IP", "null_type", "string", "type", "uint"].map(
    (name) => [name, parseType(name)] as const,
  ),
  ["google.protobuf.Duration", parseType("duration")],
  ["google.protobuf.Timestamp", parseType("timestamp")],
  ["list", parseType("list<A>")],
  ["map", parseType("map<A, B>")],
  ["optional_type", { kind: "opaque", name: "optional_type" }],
]);

export function isTypeName(name: string): boolean {
  return typeNames.has(name);
}

/** The type of the value that a name of a type is, or undefined. */
export function typeOfTypeName(name: string): CelType | undefined {
  const value = typeNames.get(name);
  return value === undefined ? undefined : { kind: "type", value };
}

/** All names that an expression refers to, save those that it gives to its own variables. */
export function namesIn(expression: Expression, own: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  if (expression.kind === "identifier") return new Set(own.has(expression.name) ? [] : [expression.name]);
  if (expression.kind !== "macro") return union(partsOf(expression).map((part) => namesIn(part, own)));
  const inner = new Set([...own, ...expression.variables]);
  return union([namesIn(expression.target, own), ...expression.arguments.map((part) => namesIn(part, inner))]);
}

function union(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}
