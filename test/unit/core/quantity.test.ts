import { describe, expect, it } from "vitest";
import { formatSize, numberOfQuantity, formatQuantity } from "../../../src/core/quantity.ts";

describe("numberOfQuantity", () => {
  it.each<readonly [string | number | undefined, number | undefined]>([
    ["250m", 0.25],
    ["2Gi", 2 ** 31],
    ["1e3", 1000],
    [7, 7],
    ["much", undefined],
    ["", undefined],
    [undefined, undefined],
    ["1Zi", undefined],
    ["1 k", undefined],
    ["1.2.3", undefined],
    [".", undefined],
    ["e3", undefined],
    ["1ee3", undefined],
    ["x1k", undefined],
    ["+.5", 0.5],
    ["-5.", -5],
    ["1e-3k", 1],
    ["2e+2m", 0.2],
    ["12n", 12 * 1e-9],
    ["12u", 12 * 1e-6],
    ...(["k", "M", "G", "T", "P", "E"] as const).map((unit, index) => [`3${unit}`, 3 * 1000 ** (index + 1)] as const),
    ...(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const).map((unit, at) => [`3${unit}`, 3 * 1024 ** (at + 1)] as const),
  ])("reads %s as %s", (text, value) => {
    expect(numberOfQuantity(text)).toBe(value);
  });
});

describe("formatSize", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [25_276_514_304, "23.5 GiB"],
    [2 ** 63, "8192.0 PiB"],
  ])("formats %i as %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

describe("formatQuantity", () => {
  it.each([
    ["memory", "24684096Ki", "23.5 GiB"],
    ["ephemeral-storage", "264212084Ki", "252.0 GiB"],
    ["hugepages-2Mi", "0", "0 B"],
    ["memory", "much", "much"],
    ["cpu", "250m", "250m"],
    ["pods", "110", "110"],
  ])("formats %s of %s as %s", (resource, quantity, text) => {
    expect(formatQuantity(resource, quantity)).toBe(text);
  });
});
