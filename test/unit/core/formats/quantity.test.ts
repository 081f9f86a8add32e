import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Quantity } from "../../../../src/core/formats/quantity.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";
import {
  formatQuantity,
  isQuantityError,
  parseQuantity,
  roundedToMilli,
  wholeScaleOf,
} from "../../../../src/core/formats/quantity.ts";

/** What apimachinery 0.34.4 makes of texts: the canonical ones, those rounded up to thousandths, and what is refused. */
const answers = JSON.parse(readFileSync(join(import.meta.dirname, "../golden/quantities.json"), "utf8")) as {
  readonly refused: Readonly<Record<string, readonly string[]>>;
  readonly same: readonly string[];
  readonly canonical: Readonly<Record<string, readonly string[]>>;
  readonly rounded: Readonly<Record<string, string>>;
};
const read: readonly (readonly [string, string])[] = [
  ...answers.same.map((text) => [text, text] as const),
  ...Object.entries(answers.canonical).flatMap(([canonical, texts]) => texts.map((text) => [text, canonical] as const)),
];

function quantityOf(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (isQuantityError(parsed)) throw new Error(parsed);
  return parsed;
}

describe("a quantity", () => {
  it.each(read)("of %j is %j", (text, canonical) => {
    expect(formatQuantity(quantityOf(text))).toBe(canonical);
    expect(formatQuantity(roundedToMilli(quantityOf(text)))).toBe(answers.rounded[text] ?? canonical);
  });

  it.each(Object.entries(answers.refused))("is refused: %s", (fault, texts) => {
    expect(texts.map((text) => parseQuantity(text))).toEqual(texts.map(() => fault));
  });

  it("A223 of many zeros is written as fast as it is read", () => {
    const texts = Array.from({ length: 100 }, () => `1${"0".repeat(999)}`);
    const work = (): void => expect(new Set(texts.map((text) => formatQuantity(quantityOf(text)))).size).toBe(1);
    expect(formatQuantity(quantityOf(texts[0] ?? ""))).toBe("1e999");
    expect(leastCpuMs(work, 200)).toBeLessThan(200);
  });

  it("A260 of more than a thousand characters is none", () => {
    expect(isQuantityError(parseQuantity("1".repeat(1000)))).toBe(false);
    const large = "1".repeat(1_400_000);
    expect(isQuantityError(parseQuantity(large))).toBe(true);
    expect(leastCpuMs(() => parseQuantity(large), 200)).toBeLessThan(200);
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

describe("wholeScaleOf", () => {
  it.each([
    ["1500m", -3],
    ["1", 0],
    ["-5k", 3],
    ["1.5", -1],
    ["1e3", 3],
    ["1E18", 18],
    ["1e19", undefined],
    ["1n", -9],
    ["0.1n", undefined],
    ["123456789012345678", 0],
    ["1234567890123456789", undefined],
    ["000123456789012345678", 0],
    ["0.12345678", -8],
    ["1Ki", 0],
    ["1.5Ki", undefined],
    ["12345678901Ki", 0],
    ["123456789012Ki", undefined],
    ["100Ei", undefined],
    ["1Zi", undefined],
  ])("of %s is %s", (text, scale) => {
    expect(wholeScaleOf(text)).toBe(scale);
  });
});
