import { expect, it } from "vitest";
import { comparedAmounts } from "../../../../src/embedded-hub/validation/compared-amounts.ts";

const unit = 10n ** 9n;
const largest = (2n ** 63n - 1n) / 1000n;

it.each<{ nanos: readonly bigint[]; values: readonly bigint[]; isMilli: boolean }>([
  { nanos: [unit], values: [1000n], isMilli: true },
  { nanos: [0n], values: [0n], isMilli: true },
  { nanos: [1n], values: [1n], isMilli: true },
  { nanos: [-1n], values: [-1n], isMilli: true },
  { nanos: [-unit], values: [-1000n], isMilli: true },
  { nanos: [10n ** 6n + 1n], values: [2n], isMilli: true },
  { nanos: [largest * unit], values: [largest * 1000n], isMilli: true },
  { nanos: [largest * unit + 1n], values: [largest + 1n], isMilli: false },
  { nanos: [1n, (largest + 1n) * unit], values: [1n, largest + 1n], isMilli: false },
])("compares $nanos billionths as $values", ({ nanos, values, isMilli }) => {
  expect(comparedAmounts(...nanos)).toEqual({ values, isMilli });
});
