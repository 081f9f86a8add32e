import { formatQuantity, isQuantityError, parseQuantity, wholeScaleOf } from "../core/formats/quantity.ts";
import type { CelOpaque, CelValue } from "./cel-value.ts";
import { CelError, isKind } from "./cel-value.ts";
import { intOf, textOf } from "./library-operators.ts";
import type { Declaration } from "./overload.ts";
import { declare, sizeOf, traversalCost } from "./overload.ts";

const typeName = "kubernetes.Quantity";
const unit = 1_000_000_000n;

interface QuantityPayload {
  readonly nanos: bigint;
  readonly text: string;
  /** Of a quantity that is held as a whole number: the power of ten of that number. Absent when it is held as a decimal. */
  readonly scale: number | undefined;
}

function isPayload(payload: unknown): payload is QuantityPayload {
  return typeof payload === "object" && payload !== null && "nanos" in payload && typeof payload.nanos === "bigint";
}

function payloadOf(value: CelValue | undefined): QuantityPayload | undefined {
  return value !== undefined && isKind(value, "opaque") && isPayload(value.payload) ? value.payload : undefined;
}

function nanosOf(value: CelValue | undefined): bigint {
  return payloadOf(value)?.nanos ?? 0n;
}

function quantity(nanos: bigint, scale?: number): CelOpaque {
  const payload: QuantityPayload = { nanos, text: formatQuantity({ nanos, format: "DecimalSI" }), scale };
  return { kind: "opaque", typeName, payload, equals: (other) => nanosOf(other) === nanos };
}

function parse(text: string): CelOpaque {
  const parsed = parseQuantity(text);
  if (isQuantityError(parsed)) throw new CelError(parsed);
  return quantity(parsed.nanos, wholeScaleOf(text));
}

/** The whole number, where Kubernetes finds one: none for `1000m`, `1.0` and `100Ti`. Source: resource.Quantity, AsInt64. */
function wholeOf(value: CelValue | undefined): bigint | undefined {
  const { nanos, scale } = payloadOf(value) ?? { nanos: 0n, scale: 0 };
  const whole = nanos / unit;
  return scale !== undefined && scale >= 0 && BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

/** The sum of two quantities, or their difference. It is held as a whole number when both are. */
function added(left: CelValue | undefined, right: CelValue | undefined, factor: 1n | -1n): CelOpaque {
  const [a, b] = [payloadOf(left), payloadOf(right)];
  const nanos = nanosOf(left) + factor * nanosOf(right);
  if (a?.scale === undefined || b?.scale === undefined) return quantity(nanos);
  const scale = b.nanos === 0n ? a.scale : a.nanos === 0n ? b.scale : Math.min(a.scale, b.scale);
  const value = nanos / 10n ** BigInt(scale + 9);
  return quantity(nanos, BigInt.asIntN(64, value) === value ? scale : undefined);
}

function compare(left?: CelValue, right?: CelValue): bigint {
  const difference = nanosOf(left) - nanosOf(right);
  return difference < 0n ? -1n : difference > 0n ? 1n : 0n;
}

/** An API server takes no notice of it: the time to calculate with digits grows faster than their number. */
const ofText = ([text]: readonly CelValue[]): number =>
  traversalCost(text) + Math.floor(sizeOf(text) ** 2 / charactersSquaredPerUnit);
const charactersSquaredPerUnit = 1_000_000;

export const quantityLibrary: readonly Declaration[] = [
  declare(`quantity(string): ${typeName}`, (text) => parse(textOf(text)), ofText),
  declare("isQuantity(string): bool", (text) => !isQuantityError(parseQuantity(textOf(text))), ofText),
  declare(`${typeName}.isInteger(): bool`, (value) => wholeOf(value) !== undefined),
  declare(`${typeName}.asInteger(): int`, (value) => {
    const whole = wholeOf(value);
    if (whole === undefined) throw new CelError("cannot convert value to integer");
    return whole;
  }),
  declare(`${typeName}.asApproximateFloat(): double`, (value) => Number(nanosOf(value)) / Number(unit)),
  declare(`sign(${typeName}): int`, (value) => compare(value, quantity(0n))),
  ...(["add", "sub"] as const).flatMap((name) => {
    const factor = name === "add" ? 1n : -1n;
    return [
      declare(`${typeName}.${name}(${typeName}): ${typeName}`, (a, b) => added(a, b, factor)),
      declare(`${typeName}.${name}(int): ${typeName}`, (a, b) => added(a, quantity(intOf(b) * unit, 0), factor)),
    ];
  }),
  declare(`${typeName}.isLessThan(${typeName}): bool`, (a, b) => compare(a, b) < 0n),
  declare(`${typeName}.isGreaterThan(${typeName}): bool`, (a, b) => compare(a, b) > 0n),
  declare(`${typeName}.compareTo(${typeName}): int`, compare),
];
