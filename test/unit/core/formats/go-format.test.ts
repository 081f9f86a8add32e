import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import {
  describeJsonKind,
  goFloat,
  goJson,
  goKind,
  goNumber,
  goSyntax,
  goText,
  goType,
} from "../../../../src/core/formats/go-format.ts";

describe("how Go names what it decoded", () => {
  it.each<[type: string, jsonKind: string, kind: string, value: Json]>([
    ["bool", "bool", "bool", true],
    ["string", "string", "string", "a"],
    ["int64", "number", "int64", 1],
    ["float64", "number", "float64", 1.5],
    ["int64", "number", "int64", 2n ** 60n],
    ["[]interface {}", "array", "slice", [1]],
    ["map[string]interface {}", "object", "map", { a: 1 }],
  ])("%s", (type, jsonKind, kind, value) => {
    expect([goType(value), describeJsonKind(value), goKind(value)]).toEqual([type, jsonKind, kind]);
  });

  it("<nil>", () => {
    expect([goType(null), goKind(null)]).toEqual(["<nil>", "<nil>"]);
  });
});

/** What fmt prints of the same values with %v and %#v, and encoding/json. */
describe("how Go prints what it decoded", () => {
  it.each<[plain: string, syntax: string, value: Json]>([
    ["<nil>", "interface {}(nil)", null],
    ["false", "false", false],
    ['a "b"\n\u2028', '"a \\"b\\"\\n\\u2028"', 'a "b"\n\u2028'],
    ["\u0001\u007f", '"\\x01\\x7f"', "\u0001\u007f"],
    ["1152921504606846976", "1152921504606846976", 2n ** 60n],
    ["[]", "[]interface {}{}", []],
    ["map[]", "map[string]interface {}{}", {}],
    [
      "[x y 1.5 <nil> [true]]",
      '[]interface {}{"x y", 1.5, interface {}(nil), []interface {}{true}}',
      ["x y", 1.5, null, [true]],
    ],
    [
      "map[a:[x] b:map[d:<nil>] c\n:1]",
      'map[string]interface {}{"a":[]interface {}{"x"}, "b":map[string]interface {}{"d":interface {}(nil)}, "c\\n":1}',
      { b: { d: null }, a: ["x"], "c\n": 1, e: undefined },
    ],
  ])("%s", (plain, syntax, value) => {
    expect([goText(value), goSyntax(value)]).toEqual([plain, syntax]);
  });

  it("has the keys of JSON in order, and escapes what HTML reads", () => {
    expect(goJson({ b: "<a & b>\u2028\u2029", a: [1] })).toBe(
      '{"a":[1],"b":"\\u003ca \\u0026 b\\u003e\\u2028\\u2029"}',
    );
  });
});

describe("how Go prints numbers", () => {
  it.each([
    [0, "0"],
    [0.5, "0.5"],
    [-1.5, "-1.5"],
    [0.0001, "0.0001"],
    [0.00012, "0.00012"],
    [0.00009, "9e-05"],
    [-0.00001, "-1e-05"],
    [1e-7, "1e-07"],
    [100_000.5, "100000.5"],
    [999_999.5, "999999.5"],
    [1_000_000.5, "1.0000005e+06"],
    [123_456_789.125, "1.23456789125e+08"],
    [1_000_000, "1e+06"],
    [100_000, "100000"],
    [1.5e21, "1.5e+21"],
    [1e300, "1e+300"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [Number.NaN, "NaN"],
  ])("as a float: %d", (value, text) => {
    expect(goFloat(value)).toBe(text);
  });

  it.each([
    [1_000_000, "1000000"],
    [-(2 ** 53), "-9007199254740992"],
    [2 ** 62, "4611686018427387904"],
    [2 ** 63, "9.223372036854776e+18"],
    [-(2 ** 63), "-9.223372036854776e+18"],
    [1.5, "1.5"],
  ])("as an integer where 64 bits hold it: %d", (value, text) => {
    expect(goNumber(value)).toBe(text);
  });
});
