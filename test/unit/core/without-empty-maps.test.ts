import { describe, expect, it } from "vitest";
import { withoutEmptyMaps } from "../../../src/core/json.ts";

describe("withoutEmptyMaps", () => {
  it.each([
    { value: {}, becomes: undefined, reason: "an empty map" },
    { value: { a: { b: {} } }, becomes: undefined, reason: "a map that becomes empty" },
    { value: { a: 1, b: {}, c: undefined, d: 2 }, becomes: { a: 1, d: 2 }, reason: "empty parts between others" },
    { value: { a: {}, b: { c: 1, d: {} } }, becomes: { b: { c: 1 } }, reason: "an empty part before one to change" },
    { value: { list: [{}, { a: {} }, { b: 1 }] }, becomes: { list: [{}, {}, { b: 1 }] }, reason: "items of a list" },
    { value: { a: null, b: 0, c: "", d: [] }, becomes: { a: null, b: 0, c: "", d: [] }, reason: "other empty values" },
  ])("takes out $reason", ({ value, becomes }) => {
    const result = withoutEmptyMaps(value);
    expect(result).toStrictEqual(becomes);
  });

  it("keeps a key that is called __proto__ an ordinary one", () => {
    const value: unknown = JSON.parse('{"a": {}, "__proto__": {"b": 1}}');
    expect(JSON.stringify(withoutEmptyMaps(value))).toBe('{"__proto__":{"b":1}}');
  });

  it("copies nothing that has nothing to take out", () => {
    const value = { kept: { deep: [1, { a: 2 }] }, cut: { b: {}, c: 3 } };
    expect(withoutEmptyMaps(value).kept).toBe(value.kept);
    expect(withoutEmptyMaps(value.kept)).toBe(value.kept);
  });
});
