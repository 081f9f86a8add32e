import { describe, expect, it } from "vitest";
import { canonicalJson, isJsonEqual, isJsonObject, stringifyJson } from "../../../src/core/json.ts";

describe("isJsonEqual", () => {
  it.each<[boolean, unknown, unknown]>([
    [true, 1, 1],
    [true, 2n ** 60n, 2n ** 60n],
    [false, 1, "1"],
    [false, 0, null],
    [false, null, {}],
    [true, [1, [2]], [1, [2]]],
    [false, [1, 2], [2, 1]],
    [false, [1, 2], [1, 3]],
    [false, [], { length: 0 }],
    [false, [1], [1, 2]],
    [false, [1, 2], [1]],
    [false, [], {}],
    [false, {}, []],
    [true, { a: 1, b: { c: [2] } }, { b: { c: [2] }, a: 1 }],
    [false, { a: 1 }, { a: 2 }],
    [false, { a: 1, b: 1 }, { a: 1, b: 2 }],
    [false, { a: 1 }, { b: 1 }],
    [false, { a: 1 }, { a: 1, b: 2 }],
    [false, { a: 1, b: 2 }, { a: 1 }],
    [true, { a: 1, b: undefined }, { a: 1 }],
    [true, { a: 1 }, { a: 1, b: undefined }],
    [false, { a: null }, { a: undefined }],
    [false, { toString: 1 }, { a: 1 }],
    [false, { a: {} }, { a: "x" }],
  ])("is %s for the two values of a row", (isEqual, left, right) => {
    expect([isJsonEqual(left, right), isJsonEqual(right, left)]).toEqual([isEqual, isEqual]);
  });
});

describe("isJsonObject", () => {
  it("is true for maps alone", () => {
    expect([{}, { a: 1 }, null, [], "a", 1, undefined].map(isJsonObject)).toEqual([
      ...[true, true, false, false],
      ...[false, false, false],
    ]);
  });
});

const mixed = { b: [{ d: 1, c: undefined }, undefined, null], a: 'ä"', 10: true, 9: false };

describe("the JSON text of a value", () => {
  it("has its keys in the order of their characters, at each depth, for comparisons", () => {
    expect(canonicalJson(mixed)).toBe('{"9":false,"10":true,"a":"ä\\"","b":[{"d":1},null,null]}');
    expect(canonicalJson({ b: 2n ** 60n, a: { d: 1, c: [] } })).toBe('{"a":{"c":[],"d":1},"b":1152921504606846976}');
  });

  it("has the digits of whole numbers of 64 bits, and else what JSON.stringify writes", () => {
    expect(stringifyJson(mixed)).toBe(JSON.stringify(mixed));
    expect(stringifyJson({ ...mixed, n: [2n ** 60n] })).toBe(
      JSON.stringify({ ...mixed, n: ["N"] }).replace('"N"', "1152921504606846976"),
    );
    expect(stringifyJson(2n ** 60n)).toBe("1152921504606846976");
  });

  it("reports an error of a value as it is", () => {
    const value = {
      toJSON: () => {
        throw new RangeError("of the value");
      },
    };
    expect(() => stringifyJson(value)).toThrow("of the value");
  });
});
