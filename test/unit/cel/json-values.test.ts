import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { celOfJson } from "../../../src/cel/json-values.ts";
import { celOutcome } from "../../support/cel-outcome.ts";

const longKey = "k".repeat(65);

describe("values of JSON", () => {
  it.each<[string, Json]>([
    ["type(self) == int && self == 5", 5],
    ["type(self) == double && self == 5.5", 5.5],
    ["type(self) == double", 2 ** 63],
    ["type(self) == int", -(2 ** 62)],
    ["self == 'a'", "a"],
    ["self == true", true],
    ["self == null", null],
    ["self == [1, 2] && self[1] == 2", [1, 2]],
    ["self == {'a': [1]} && self.a[0] == 1 && 'a' in self && !('b' in self)", { a: [1] }],
    ["!has(self.toString) && !('constructor' in self)", {}],
    [`has(self.${longKey}) && self.${longKey} == 1`, { [longKey]: 1 }],
    [`!has(self.${longKey})`, { a: 1 }],
    ["!(1 in self)", { "1": 1 }],
  ])("are those of an expression: %s", (text, value) => {
    expect(celOutcome(text, { self: celOfJson(value) })).toBe(true);
  });

  it("have no key of a field that is undefined", () => {
    const given: Record<string, Json> = Object.fromEntries([["a", 1]]);
    Reflect.set(given, "b", undefined);
    expect(celOutcome("self.size() == 1 && !has(self.b)", { self: celOfJson(given) })).toBe(true);
  });
});
