/** A type of the Common Expression Language, as expressions are checked with. */
export type CelType =
  | { readonly kind: PrimitiveKind }
  | { readonly kind: "list"; readonly element: CelType }
  | { readonly kind: "map"; readonly key: CelType; readonly value: CelType }
  | { readonly kind: "optional"; readonly value: CelType }
  /** The type of a type: `type(int)`; without a value that of any. */
  | { readonly kind: "type"; readonly value?: CelType }
  /** An object with declared fields. */
  | { readonly kind: "object"; readonly name: string; readonly fields: ReadonlyMap<string, CelType> }
  /** A type of a library: `kubernetes.Quantity`. */
  | { readonly kind: "opaque"; readonly name: string }
  /** A parameter of a declaration (`A`), or a type that is found out while checking. */
  | { readonly kind: "param"; readonly name: string };

export type PrimitiveKind =
  | "dyn"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null_type"
  | "timestamp"
  | "duration";

const primitives: Readonly<Record<PrimitiveKind, CelType>> = {
  dyn: { kind: "dyn" },
  bool: { kind: "bool" },
  int: { kind: "int" },
  uint: { kind: "uint" },
  double: { kind: "double" },
  string: { kind: "string" },
  bytes: { kind: "bytes" },
  null_type: { kind: "null_type" },
  timestamp: { kind: "timestamp" },
  duration: { kind: "duration" },
};

export const dyn = primitives.dyn;
export const boolType = primitives.bool;
export const stringType = primitives.string;

export function listOf(element: CelType): CelType {
  return { kind: "list", element };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: "map", key, value };
}

/** A type as declarations write it: `int`, `list<A>`, `map<string, dyn>`, `optional<A>`, `type<A>`, `kubernetes.Quantity`. */
export function parseType(text: string): CelType {
  const name = text.trim();
  const generic = /^(list|map|optional|type)<(.+)>$/u.exec(name);
  if (generic !== null) {
    const parts = splitTop(generic[2] ?? "").map(parseType);
    const [first = dyn, second = dyn] = parts;
    if (generic[1] === "list") return listOf(first);
    return generic[1] === "map"
      ? mapOf(first, second)
      : { kind: generic[1] === "type" ? "type" : "optional", value: first };
  }
  if (/^[A-Z]$/u.test(name)) return { kind: "param", name };
  if (name === "type") return { kind: "type" };
  const primitive = Object.values(primitives).find(({ kind }) => kind === name);
  return primitive ?? { kind: "opaque", name };
}

/** Splits at commas that are in no brackets. */
export function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "<") depth++;
    if (character === ">") depth--;
    if (character === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Names of simple types, where they differ from their kind. */
export type TypeNames = Partial<Record<CelType["kind"], string>>;

const checkedNames: TypeNames = { null_type: "null" };

/** A type as messages name it: `list(string)`. `names` defaults to those of checked expressions. */
export function describeType(type: CelType, names: TypeNames = checkedNames): string {
  switch (type.kind) {
    case "list":
      return `list(${describeType(type.element, names)})`;
    case "map":
      return `map(${describeType(type.key, names)}, ${describeType(type.value, names)})`;
    case "optional":
      return `optional_type(${describeType(type.value, names)})`;
    case "type":
      return type.value === undefined ? "type" : `type(${describeType(type.value, names)})`;
    case "object":
    case "opaque":
    case "param":
      return type.name;
    default:
      return names[type.kind] ?? type.kind;
  }
}

/** What is known of parameters while an expression is checked. */
export interface Bindings {
  readonly get: (parameter: string) => CelType | undefined;
  readonly set: (parameter: string, type: CelType) => void;
}

/** The type with all parameters replaced by what is known of them. */
export function resolve(type: CelType, bindings: Bindings): CelType {
  return expand(type, { bindings, settlesParams: false, partsLeft: mostParts });
}

/** The type with what is still unknown made dyn. */
export function settle(type: CelType, bindings: Bindings): CelType {
  return expand(type, { bindings, settlesParams: true, partsLeft: mostParts });
}

/**
 * Lists, maps and the like in one type. What is beyond counts as dyn: each step of `[x].map(v, {v: v})` makes a type of twice
 * as many parts.
 */
const mostParts = 200;

interface Expansion {
  readonly bindings: Bindings;
  readonly settlesParams: boolean;
  partsLeft: number;
}

function expand(type: CelType, expansion: Expansion): CelType {
  const { bindings, settlesParams } = expansion;
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return expand(bound, expansion);
    return settlesParams ? dyn : type;
  }
  if (!["list", "map", "optional", "type"].includes(type.kind)) return type;
  if (expansion.partsLeft === 0) return dyn;
  expansion.partsLeft -= 1;
  switch (type.kind) {
    case "list":
      return listOf(expand(type.element, expansion));
    case "map":
      return mapOf(expand(type.key, expansion), expand(type.value, expansion));
    case "optional":
      return { kind: "optional", value: expand(type.value, expansion) };
    case "type":
      return type.value === undefined ? type : { kind: "type", value: expand(type.value, expansion) };
    default:
      return type;
  }
}

/** True when a value of `actual` may be used where `expected` is required; binds parameters on the way. */
export function unify(expected: CelType, actual: CelType, bindings: Bindings): boolean {
  return unifyResolved(resolve(expected, bindings), resolve(actual, bindings), bindings);
}

/** Of the parameters in both types, only those are bound that were bound on the way. */
function unifyResolved(expected: CelType, actual: CelType, bindings: Bindings): boolean {
  const left = expected.kind === "param" ? resolve(expected, bindings) : expected;
  const right = actual.kind === "param" ? resolve(actual, bindings) : actual;
  // Of two unknowns the newer one is bound: a long list of empty lists makes no long chain.
  if (left.kind === "param" && right.kind !== "param") return bind(left.name, right, bindings);
  if (right.kind === "param") return bind(right.name, left, bindings);
  if (left.kind === "dyn" || right.kind === "dyn") return true;
  if (left.kind === "null_type" || right.kind === "null_type") {
    const other = left.kind === "null_type" ? right : left;
    return ["null_type", "timestamp", "duration", "optional", "object", "opaque"].includes(other.kind);
  }
  if (left.kind === "list" && right.kind === "list") return unifyResolved(left.element, right.element, bindings);
  if (left.kind === "map" && right.kind === "map") {
    return unifyResolved(left.key, right.key, bindings) && unifyResolved(left.value, right.value, bindings);
  }
  if (left.kind === "optional" && right.kind === "optional") return unifyResolved(left.value, right.value, bindings);
  if (left.kind === "object" && right.kind === "object") return left.name === right.name;
  if (left.kind === "opaque" && right.kind === "opaque") return left.name === right.name;
  return left.kind === right.kind && !["list", "map", "optional", "object", "opaque"].includes(left.kind);
}

function bind(name: string, type: CelType, bindings: Bindings): boolean {
  if (type.kind === "param" && type.name === name) return true;
  if (mentions(resolve(type, bindings), name)) return false;
  bindings.set(name, type);
  return true;
}

function mentions(type: CelType, name: string): boolean {
  switch (type.kind) {
    case "param":
      return type.name === name;
    case "list":
      return mentions(type.element, name);
    case "map":
      return mentions(type.key, name) || mentions(type.value, name);
    case "optional":
      return mentions(type.value, name);
    case "type":
      return type.value !== undefined && mentions(type.value, name);
    default:
      return false;
  }
}
