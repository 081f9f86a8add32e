import { describe, expect, it } from "vitest";
import { parseExactJson, parseJsonWithLiterals, readExactJson, wholeNumber } from "../../../src/core/exact-json.ts";
import type { Json } from "../../../src/core/json.ts";

const longest = 9_223_372_036_854_775_807n;

describe("parseExactJson", () => {
  it.each<[string, Json]>([
    ["9007199254740991", 2 ** 53 - 1],
    ["9007199254740993", 9_007_199_254_740_993n],
    ["-9007199254740993", -9_007_199_254_740_993n],
    ["9223372036854775807", longest],
    ["-9223372036854775808", -longest - 1n],
    ["9223372036854775808", 2 ** 63],
    ["-9223372036854775809", -(2 ** 63)],
    ["9007199254740993.0", 2 ** 53],
    ["9007199254740993e0", 2 ** 53],
    ["100000000000000000000000000", 1e26],
    ["[9007199254740993]", [9_007_199_254_740_993n]],
    ["[1, 9007199254740993 ,2]", [1, 9_007_199_254_740_993n, 2]],
    ['{"n" : 9007199254740993}', { n: 9_007_199_254_740_993n }],
    ['{"n"\n\t:\n9007199254740993}', { n: 9_007_199_254_740_993n }],
    ['"9007199254740993"', "9007199254740993"],
    ['"a:9007199254740993"', "a:9007199254740993"],
    [
      '{"n": 9007199254740993, "t": true, "f": false, "z": null, "l": [], "m": {}, "s": "a\\u00e4\\"}], ", "e": ""}',
      { n: 9_007_199_254_740_993n, t: true, f: false, z: null, l: [], m: {}, s: 'aä"}], ', e: "" },
    ],
    ['{"k\\n": [[9007199254740993, {"d": -1.5e3}], "x"]}', { "k\n": [[9_007_199_254_740_993n, { d: -1500 }], "x"] }],
  ])("keeps each digit of whole numbers of 64 bits: %s", (text, value) => {
    expect(parseExactJson(text)).toStrictEqual(value);
    expect(readExactJson(text)).toStrictEqual(value);
  });

  it("keeps a key that is called __proto__ an ordinary one", () => {
    const value = parseExactJson('{"__proto__": {"a": 9007199254740993}}') as Readonly<Record<string, Json>>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toEqual({ a: 9_007_199_254_740_993n });
  });

  it.each(["", "{", "[9007199254740993", '{"a": 9007199254740993,}', "09007199254740993"])(
    "refuses what is no JSON: %j",
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
      expect(readExactJson(text)).toBeUndefined();
    },
  );
});

describe("parseJsonWithLiterals", () => {
  it.each<[string, Readonly<Record<string, string>> | undefined]>([
    ['{"a": 1, "b": 1.5, "c": "1.0"}', undefined],
    ["1.0", { "": "1.0" }],
    ['{"a" : 1.0}', { a: "1.0" }],
    ['{"a": {"b": [1, 1.0, [2e1]]}, "c": -0.50}', { "a.b[1]": "1.0", "a.b[2][0]": "2e1", c: "-0.50" }],
    ["[9223372036854775808, 9223372036854775807]", { "[0]": "9223372036854775808" }],
    ["[-0, 1E2]", { "[0]": "-0", "[1]": "1E2" }],
  ])("has the numbers of %s that are written in another way", (text, literals) => {
    const found = parseJsonWithLiterals(text);
    expect("literals" in found).toBe(literals !== undefined);
    expect(found.literals && Object.fromEntries(found.literals)).toEqual(literals);
    expect(
      JSON.parse(
        JSON.stringify(found.value, (_key, item: unknown) => (typeof item === "bigint" ? Number(item) : item)),
      ),
    ).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
  });
});

describe("wholeNumber", () => {
  it.each<[number | bigint, bigint]>([
    [2 ** 53 - 1, 2n ** 53n - 1n],
    [2n ** 53n, 2n ** 53n],
    [-(2n ** 53n), -(2n ** 53n)],
    [-(2n ** 63n), -(2n ** 63n)],
    [2 ** 63, 2n ** 63n],
  ])("is %s", (whole, value) => {
    expect(wholeNumber(value)).toBe(whole);
  });
});
