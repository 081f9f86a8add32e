import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatQuantity, isQuantityError, parseQuantity } from "../../../../src/core/formats/quantity.ts";

function canonical(text: string): string {
  const parsed = parseQuantity(text);
  return isQuantityError(parsed) ? parsed : formatQuantity(parsed);
}

describe("a quantity", () => {
  it.each([
    ["1000m", "1"],
    ["0.5", "500m"],
    ["1024Mi", "1Gi"],
    ["1025Ki", "1025Ki"],
    ["1.5Gi", "1536Mi"],
    ["1e3", "1e3"],
    ["1500k", "1500k"],
    ["0.0000000001", "1n"],
    ["100000", "100k"],
    ["-0.1", "-100m"],
    ["0Mi", "0"],
  ])("%s is %s", (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    ["", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1 Gi", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1Zi", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1ii", "unable to parse quantity's suffix"],
  ])("%s is none", (text, fault) => {
    expect(canonical(text)).toBe(fault);
  });

  it("is the same number however it is written", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.constantFrom("", "m", "k", "Ki", "Mi", "u"),
        (number, suffix) => {
          const first = parseQuantity(`${number}${suffix}`);
          if (isQuantityError(first)) throw new Error(first);
          const second = parseQuantity(formatQuantity(first));
          expect(isQuantityError(second) ? second : second.nanos).toBe(first.nanos);
        },
      ),
    );
  });
});
