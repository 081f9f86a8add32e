import { describe, expect, it } from "vitest";
import { formatString } from "../../../src/cel/format-string.ts";
import { toExponentialEven, toFixedEven } from "../../../src/cel/round-decimal.ts";

describe("numbers as Go writes them", () => {
  it.each([
    [0.5, 0, "0"],
    [1.5, 0, "2"],
    [2.5, 0, "2"],
    [-2.5, 0, "-2"],
    [0.125, 2, "0.12"],
    [0.375, 2, "0.38"],
    [0.35, 1, "0.3"],
    [0.25, 1, "0.2"],
    [0.75, 1, "0.8"],
    [1e21, 2, "1000000000000000000000.00"],
    [1e21, 0, "1000000000000000000000"],
    [1.25e-7, 6, "0.000000"],
    [5e-324, 2, "0.00"],
    [0.5, 100, `0.5${"0".repeat(99)}`],
    [1234.5, 6, "1234.500000"],
  ])("%d with %d digits behind the point is %s", (value, precision, expected) => {
    expect(toFixedEven(value, precision)).toBe(expected);
  });

  it.each([
    [1.25, 1, "1.2e+0"],
    [1.75, 1, "1.8e+0"],
    [2500, 0, "2e+3"],
    [9.5, 0, "1e+1"],
    [-1.25, 1, "-1.2e+0"],
    [1.3, 1, "1.3e+0"],
  ])("%d with an exponent and %d digits is %s", (value, precision, expected) => {
    expect(toExponentialEven(value, precision)).toBe(expected);
  });
});

describe("formatString", () => {
  // Printed by kube-apiserver 1.34.4 for the same expressions.
  it.each([
    ["%.0f|%.0f|%.2f|%.1f|%.0f", [2.5, 3.5, 0.125, 0.35, -0.5], "2|4|0.12|0.3|-0"],
    [
      "%.0f|%.1f|%.2f",
      [1e21, 1e23, 1234567.125],
      "1,000,000,000,000,000,000,000|99,999,999,999,999,991,611,392.0|1,234,567.12",
    ],
    ["%.1e|%.0e|%.9e", [1.25, 1234.5678, 1.23456789], "1.250000×10⁰⁰|1.234568×10⁰³|1.234568×10⁰⁰"],
  ])("%s of %j is %s", (template, values, expected) => {
    expect(formatString(template, values)).toBe(expected);
  });
});
