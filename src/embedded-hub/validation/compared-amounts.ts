const unit = 1_000_000_000n;
const milli = 1_000_000n;
const largestMilli = (2n ** 63n - 1n) / 1000n;

/**
 * Amounts (in units of 10^-9) as kube-apiserver compares them: in thousandths, or whole where one of them is too large for that;
 * rounded away from zero.
 */
export function comparedAmounts(...amounts: readonly bigint[]): {
  readonly values: readonly bigint[];
  readonly isMilli: boolean;
} {
  const isMilli = amounts.every((nanos) => roundUp(nanos, unit) <= largestMilli);
  return { values: amounts.map((nanos) => roundUp(nanos, isMilli ? milli : unit)), isMilli };
}

function roundUp(nanos: bigint, scale: bigint): bigint {
  const away = nanos < 0n ? 1n - scale : scale - 1n;
  return (nanos + away) / scale;
}
