import { describe, expect, it } from "vitest";
import { checkJsonBounds } from "../../../../src/embedded-hub/http/body-bounds.ts";

const nested = (levels: number, inner = "1"): string => `${'{"k":'.repeat(levels)}${inner}${"}".repeat(levels)}`;
const list = (values: number): string => `[${"1,".repeat(values - 1)}1]`;
const tooMany = "the body has more than 200000 values";
const tooDeep = "nested more than 128 levels deep";
const tooLong = "the paths of its fields are too long";

describe("checkJsonBounds", () => {
  it.each<readonly [string, string, number, boolean | string]>([
    ["a text that is no JSON", "}{]", 10, true],
    ["an open string", '{"a', 10, true],
    ["200,000 values", list(200_000), 10, true],
    ["one more", list(200_001), 10, tooMany],
    ["200,000 maps", `[${"{},".repeat(99_999)}{}]`, 10, true],
    ["signs in strings, which count nothing", `["${"[{,:".repeat(60_000)}"]`, 1, true],
    ["signs behind quotes in strings", `["\\"${"[{,:".repeat(60_000)}\\\\\\"",1]`, 1, true],
    ["signs behind a string that ends with a backslash", `["\\\\",${"[".repeat(2)}]`, 2, false],
    ["128 levels", nested(128), 1000, true],
    ["129 levels", nested(129), 1000, tooDeep],
    ["as many levels as the reader takes", nested(5), 5, true],
    ["more levels than the reader takes", nested(6), 5, false],
    ["levels beside each other", `[${nested(2)},${nested(2)}]`, 3, true],
    ["a name of 7,999 characters", `{"${"k".repeat(7_999)}":1}`, 10, true],
    ["a name of 8,000", `{"${"k".repeat(8_000)}":1}`, 10, tooLong],
    ["names below each other that are too long together", nested(1, `{"${"k".repeat(7_998)}":1}`), 10, tooLong],
    [
      "names beside each other, which are not",
      `{"a":{"${"k".repeat(7_990)}":1},"${"k".repeat(7_990)}":{"b":1}}`,
      10,
      true,
    ],
    ["many values below a long name", `{"${"k".repeat(7_990)}":${list(8_000)}}`, 10, true],
    ["too many values below a long name", `{"${"k".repeat(7_990)}":${list(9_000)}}`, 10, tooLong],
  ])("of %s", (_what, text, readerDepth, expected) => {
    const check = (): boolean => checkJsonBounds(text, readerDepth);
    if (typeof expected === "string") expect(check).toThrow(expected);
    else expect(check()).toBe(expected);
  });
});
