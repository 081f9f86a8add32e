import type { CelValue } from "./cel-value.ts";
import { isKind } from "./cel-value.ts";
import type { Meter, Overload } from "./overload.ts";

/** Of a value within a value that is compared. An API server takes nothing for it. */
const unitsPerNestedValue = 0.5;
/** Of a value that is written as text. A double may have 300 digits. */
const writtenUnits = { value: 2, character: 0.3, double: 50 } as const;

type Cost = NonNullable<Overload["cost"]>;

interface Comparison {
  /** Whether anything within the operands is compared. Default: it is. */
  readonly isRead?: (values: readonly CelValue[]) => boolean;
  /** The operand that is measured. Default 1, the second one. */
  readonly operand?: number;
  /** How often it is compared. Default once. */
  readonly times?: (values: readonly CelValue[]) => number;
}

/**
 * `cost`, and what comparing the values within two collections costs: an expression such as `[x].map(v, [v, v])` makes a
 * value that takes twice as long to compare with each step, and no longer to make.
 */
export function withNested(cost: Cost, { isRead = () => true, operand = 1, times = () => 1 }: Comparison = {}): Cost {
  return (values, meter) => {
    const isCompared = values.slice(0, 2).every(isCollection) && isRead(values) && times(values) > 0;
    if (isCompared) takeNested(values[operand], meter, times(values));
    return cost(values, meter);
  };
}

/** False for two values of which nothing needs to be read to see that they differ. */
export function haveSameSize([left = null, right = null]: readonly CelValue[]): boolean {
  return sizeOfNested(left) === sizeOfNested(right) && kindOf(left) === kindOf(right);
}

function kindOf(value: CelValue): string | undefined {
  return typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
}

/** Charges for the collections within a value, before all of them are read so many times. Nothing for other values. */
function takeNested(value: CelValue | undefined, { take }: Taking, times = 1): void {
  const units = times * unitsPerNestedValue;
  const pending = nestedIn(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const inner = nestedIn(next);
    take(units * (1 + sizeOfNested(next)));
    for (const one of inner) pending.push(one);
  }
}

type Taking = Pick<Meter, "take">;

/**
 * The same for a value that is compared by its text, as a key of a map, an item of a set or a URL: the value itself is
 * charged, too. Nothing for a short text.
 */
export function takeText(value: CelValue | undefined, meter: Taking): void {
  if (value === undefined || !isNested(value)) return;
  meter.take(unitsPerNestedValue * (1 + sizeOfNested(value)));
  takeNested(value, meter);
}

/** Charges for a value that is written as text: for each value within it, as often as it is there, and for its characters. */
export function takeWritten(value: CelValue | undefined, { take }: Taking): void {
  if (value === undefined) return;
  const pending: CelValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    take(unitsToWrite(next));
    if (isKind(next, "list")) for (let index = 0; index < next.size; index++) pending.push(next.at(index));
    else if (isKind(next, "map")) for (const key of next.keys) pending.push(key, next.get(key) ?? null);
  }
}

function unitsToWrite(value: CelValue): number {
  if (typeof value === "string" || value instanceof Uint8Array) return 1 + value.length * writtenUnits.character;
  if (typeof value === "number") return writtenUnits.double;
  return writtenUnits.value * (1 + sizeOfNested(value));
}

/** Characters of a text, and bytes, that take as long to compare as a value within a value. */
const charactersOfNested = 1024;
const bytesOfNested = 64;

function sizeOfNested(value: CelValue): number {
  if (typeof value === "string") return Math.floor(value.length / charactersOfNested);
  if (value instanceof Uint8Array) return Math.floor(value.length / bytesOfNested);
  if (isKind(value, "list")) return value.size;
  if (isKind(value, "map")) return value.keys.length;
  if (isKind(value, "opaque")) return Math.floor((value.length ?? 0) / charactersOfNested);
  return isKind(value, "object") ? value.fields.length : 0;
}

/** The collections and long texts directly within a collection. */
function nestedIn(value: CelValue | undefined): CelValue[] {
  if (value === undefined) return [];
  const nested: CelValue[] = [];
  const add = (item: CelValue | undefined): void => {
    if (item !== undefined && isNested(item)) nested.push(item);
  };
  if (isKind(value, "list")) for (let index = 0; index < value.size; index++) add(value.at(index));
  else if (isKind(value, "map")) for (const key of value.keys) add(value.get(key));
  else if (isKind(value, "object")) for (const field of value.fields) add(value.get(field));
  else if (isKind(value, "optional")) add(value.value);
  return nested;
}

function isNested(value: CelValue): boolean {
  return isCollection(value) || sizeOfNested(value) > 0;
}

function isCollection(value: CelValue): boolean {
  return isKind(value, "list") || isKind(value, "map") || isKind(value, "object") || isKind(value, "optional");
}
