import { formatQuantity, isQuantityError, parseQuantity } from "../core/formats/quantity.ts";
import type { CelOpaque, CelValue } from "./cel-value.ts";
import { CelError, isKind } from "./cel-value.ts";
import { intOf, textOf } from "./library-operators.ts";
import type { Declaration } from "./overload.ts";
import { declare, traversalCost } from "./overload.ts";

const typeName = "kubernetes.Quantity";
const unit = 1_000_000_000n;

interface QuantityPayload {
  readonly nanos: bigint;
  readonly text: string;
}

function isPayload(payload: unknown): payload is QuantityPayload {
  return typeof payload === "object" && payload !== null && "nanos" in payload && typeof payload.nanos === "bigint";
}

function nanosOf(value: CelValue | undefined): bigint {
  if (value === undefined || !isKind(value, "opaque") || !isPayload(value.payload)) return 0n;
  return value.payload.nanos;
}

function quantity(nanos: bigint): CelOpaque {
  const payload: QuantityPayload = { nanos, text: formatQuantity({ nanos, format: "DecimalSI" }) };
  return { kind: "opaque", typeName, payload, equals: (other) => nanosOf(other) === nanos };
}

function parse(text: string): CelOpaque {
  const parsed = parseQuantity(text);
  if (isQuantityError(parsed)) throw new CelError(parsed);
  return quantity(parsed.nanos);
}

function isWhole(nanos: bigint): boolean {
  const whole = nanos / unit;
  return nanos % unit === 0n && BigInt.asIntN(64, whole) === whole;
}

function compare(left?: CelValue, right?: CelValue): bigint {
  const difference = nanosOf(left) - nanosOf(right);
  return difference < 0n ? -1n : difference > 0n ? 1n : 0n;
}

const ofText = (values: readonly CelValue[]): number => traversalCost(values[0]);

export const quantityLibrary: readonly Declaration[] = [
  declare(`quantity(string): ${typeName}`, (text) => parse(textOf(text)), ofText),
  declare("isQuantity(string): bool", (text) => !isQuantityError(parseQuantity(textOf(text))), ofText),
  declare(`${typeName}.isInteger(): bool`, (value) => isWhole(nanosOf(value))),
  declare(`${typeName}.asInteger(): int`, (value) => {
    const nanos = nanosOf(value);
    if (!isWhole(nanos)) throw new CelError("cannot convert value to integer");
    return nanos / unit;
  }),
  declare(`${typeName}.asApproximateFloat(): double`, (value) => Number(nanosOf(value)) / Number(unit)),
  declare(`sign(${typeName}): int`, (value) => compare(value, quantity(0n))),
  ...(["add", "sub"] as const).flatMap((name) => {
    const factor = name === "add" ? 1n : -1n;
    return [
      declare(`${typeName}.${name}(${typeName}): ${typeName}`, (a, b) => quantity(nanosOf(a) + factor * nanosOf(b))),
      declare(`${typeName}.${name}(int): ${typeName}`, (a, b) => quantity(nanosOf(a) + factor * intOf(b) * unit)),
    ];
  }),
  declare(`${typeName}.isLessThan(${typeName}): bool`, (a, b) => compare(a, b) < 0n),
  declare(`${typeName}.isGreaterThan(${typeName}): bool`, (a, b) => compare(a, b) > 0n),
  declare(`${typeName}.compareTo(${typeName}): int`, compare),
];
