/** More digits than a number that is half-way between two others has behind the half. */
const digitsBehind = 30;
/** What JavaScript writes at most. */
const mostDigits = 100;
/** From here on `toFixed` writes an exponent. */
const largestFixed = 1e21;

/**
 * A finite number with so many digits behind the point, as Go writes it: what is exactly half-way becomes even, where
 * JavaScript rounds away from zero. Source: Go, strconv.
 */
export function toFixedEven(value: number, precision: number): string {
  if (Math.abs(value) >= largestFixed)
    return precision === 0 ? whole(value) : `${whole(value)}.${"0".repeat(precision)}`;
  const exact = value.toFixed(Math.min(mostDigits, precision + digitsBehind));
  const point = exact.indexOf(".");
  return halfToEven(
    value.toFixed(precision),
    exact,
    point < 0 ? exact.length : point + (precision === 0 ? 0 : precision + 1),
  );
}

/** The same as mantissa and exponent: `1.2e+3`. */
export function toExponentialEven(value: number, precision: number): string {
  const exact = value.toExponential(Math.min(mostDigits, precision + digitsBehind));
  const [mantissa = "", exponent = ""] = exact.split("e");
  const kept = mantissa.indexOf(".") + (precision === 0 ? 0 : precision + 1);
  const rounded = value.toExponential(precision);
  const even = halfToEven("", mantissa, kept);
  return even === "" ? rounded : `${even}e${exponent}`;
}

function whole(value: number): string {
  return BigInt(value).toString();
}

/** `exact` without what is behind `kept`, where that is exactly a half behind an even digit; else `rounded`. */
function halfToEven(rounded: string, exact: string, kept: number): string {
  const isHalf = /^\.?50*$/u.test(exact.slice(kept));
  const before = exact.slice(0, kept);
  return isHalf && /[02468]$/u.test(before) ? before : rounded;
}
