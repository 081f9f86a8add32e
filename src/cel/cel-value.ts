import type { Json } from "../core/json.ts";
import { goFloat } from "../core/formats/go-format.ts";

/** A value while an expression runs. Whole numbers are bigint, floats are number. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelObject
  | CelTypeName
  | CelOptional
  | CelOpaque;

export interface CelUint {
  readonly kind: "uint";
  readonly value: bigint;
}

export interface CelTimestamp {
  readonly kind: "timestamp";
  /** Since 1970. */
  readonly nanos: bigint;
  /** Of the zone that it is written in, in seconds east of UTC. Default 0. Two moments are the same in any zone. */
  readonly offset?: number;
}

export interface CelDuration {
  readonly kind: "duration";
  readonly nanos: bigint;
}

/** A list; its items are made when they are asked for. */
export interface CelList {
  readonly kind: "list";
  readonly size: number;
  readonly at: (index: number) => CelValue;
  /** True of a list whose schema is known: it takes an int as an index, and no other number. */
  readonly isOfSchema?: boolean;
  /** Lists that the schema calls a set or a map are equal in any order, and `+` merges them. */
  readonly identity?: { readonly type: "set" } | { readonly type: "map"; readonly keyOf: (item: CelValue) => string };
}

/** A map; keys of numbers that are equal are the same key. */
export interface CelMap {
  readonly kind: "map";
  readonly keys: readonly CelValue[];
  readonly get: (key: CelValue) => CelValue | undefined;
}

/** An object of a schema. `get` gives undefined for a field that is not set. */
export interface CelObject {
  readonly kind: "object";
  readonly typeName: string;
  readonly fields: readonly string[];
  readonly get: (field: string) => CelValue | undefined;
  /** What expressions cannot see of it, but two objects may differ in. */
  readonly unknown?: (field: string) => Json | undefined;
}

export interface CelTypeName {
  readonly kind: "type";
  readonly name: string;
}

export interface CelOptional {
  readonly kind: "optional";
  readonly value: CelValue | undefined;
}

/** A value of a library. Two are equal when their texts are, unless the library defines otherwise. */
export interface CelOpaque {
  readonly kind: "opaque";
  readonly typeName: string;
  readonly payload: unknown;
  /** Of what is compared of it, in characters or what takes as long. Default 0. */
  readonly length?: number;
  readonly equals: (other: CelOpaque) => boolean;
}

/**
 * A failure while an expression runs: it is a value of the language (`false && failure` is false). A loop may make one a
 * round, so it has no stack, and makes its text when the text is asked for.
 */
export class CelError {
  /** True when nothing may absorb it: the limit of costs is exceeded. */
  readonly isFatal: boolean;
  readonly #message: string | (() => string);

  constructor(message: string | (() => string), isFatal = false) {
    this.#message = message;
    this.isFatal = isFatal;
  }

  get message(): string {
    return typeof this.#message === "string" ? this.#message : this.#message();
  }
}

export const noSuchOverload = "no such overload";

export function celList(items: readonly CelValue[]): CelList {
  return { kind: "list", size: items.length, at: (index) => items[index] ?? null };
}

export function itemsOf(list: CelList): CelValue[] {
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

export function celMap(entries: Iterable<readonly [CelValue, CelValue]>): CelMap {
  const map = new Map<string, { readonly key: CelValue; readonly value: CelValue }>();
  for (const [key, value] of entries) map.set(mapKey(key), { key, value });
  const hasCollections = [...map.values()].some(({ key }) => isCollection(key));
  return {
    kind: "map",
    keys: [...map.values()].map(({ key }) => key),
    // The text of a list takes time in proportion to its length.
    get: (key) => (isCollection(key) && !hasCollections ? undefined : map.get(mapKey(key))?.value),
  };
}

function isCollection(value: CelValue): boolean {
  return isKind(value, "list") || isKind(value, "map") || isKind(value, "object");
}

/** The same text for keys that are equal. */
export function mapKey(key: CelValue): string {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (typeof key === "number" && Number.isInteger(key)) return `n${BigInt(key)}`;
  return isKind(key, "uint") ? `n${key.value}` : `x${describeValue(key)}`;
}

type Tagged = Exclude<CelValue, null | boolean | bigint | number | string | Uint8Array>;

export function isKind<Kind extends Tagged["kind"]>(
  value: CelValue,
  kind: Kind,
): value is Extract<Tagged, { readonly kind: Kind }> {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array) && value.kind === kind;
}

/** The name of a value's type, as `type(x)` gives it. */
export function typeNameOf(value: CelValue): string {
  if (value === null) return "null_type";
  if (value instanceof Uint8Array) return "bytes";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      return "typeName" in value ? value.typeName : runtimeName(value.kind);
  }
}

const runtimeNames: ReadonlyMap<string, string> = new Map([
  ["timestamp", "google.protobuf.Timestamp"],
  ["duration", "google.protobuf.Duration"],
  ["optional", "optional_type"],
]);

/** The name of a kind of values, as values have it while an expression runs. */
export function runtimeName(kind: string): string {
  return runtimeNames.get(kind) ?? kind;
}

/** A value in a failure's message. */
export function describeValue(value: CelValue): string {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (typeof value === "number") return goFloat(value);
  if (typeof value !== "object") return String(value);
  switch (value.kind) {
    case "uint":
      return String(value.value);
    case "list":
      return `[${itemsOf(value).map(describeValue).join(", ")}]`;
    case "type":
      return value.name;
    default:
      return typeNameOf(value);
  }
}
