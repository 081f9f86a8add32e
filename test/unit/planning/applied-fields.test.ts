import { describe, expect, it } from "vitest";
import { appliedFields, withDefaults } from "../../../src/planning/applied-fields.ts";

describe("the fields that an apply owns", () => {
  it.each([
    { of: {}, are: {} },
    { of: { a: 1, b: undefined, c: null }, are: { "f:a": {}, "f:c": {} } },
    { of: { a: { b: { c: 1 } } }, are: { "f:a": { "f:b": { "f:c": {} } } } },
    { of: { list: [{ a: 1 }] }, are: { "f:list": {} } },
    { of: { selector: { matchLabels: { env: "prod" } } }, are: { "f:selector": {} } },
  ])("of $of are $are", ({ of, are }) => {
    expect(appliedFields(of)).toEqual(are);
  });
});

describe("a value with defaults", () => {
  it.each([
    { value: {}, defaults: { a: 1 }, is: { a: 1 } },
    { value: { a: 2 }, defaults: { a: 1 }, is: { a: 2 } },
    { value: { a: { c: 3 } }, defaults: { a: { b: 1, c: 2 } }, is: { a: { b: 1, c: 3 } } },
    { value: { a: 2 }, defaults: { a: { b: 1 } }, is: { a: 2 } },
    { value: { a: { b: 2 } }, defaults: { a: 1 }, is: { a: { b: 2 } } },
    { value: { a: undefined, d: 1 }, defaults: { a: 1 }, is: { a: 1, d: 1 } },
  ])("$value with $defaults is $is", ({ value, defaults, is }) => {
    expect(withDefaults(value, defaults)).toEqual(is);
  });

  it("leaves the value as it was", () => {
    const value = { a: { c: 3 } };
    withDefaults(value, { a: { b: 1 } });
    expect(value).toEqual({ a: { c: 3 } });
  });
});
