import { describe, expect, it } from "vitest";
import { freezeJson } from "../../../src/core/freeze-json.ts";

describe("freezeJson", () => {
  it("freezes each part, and returns the value", () => {
    const value = { list: [{ a: 1 }], text: "a", none: null };
    expect(freezeJson(value)).toBe(value);
    expect([value, value.list, value.list[0]].every((part) => Object.isFrozen(part))).toBe(true);
    expect([freezeJson("a"), freezeJson(null), freezeJson(undefined)]).toEqual(["a", null, undefined]);
  });

  it("visits no part that is frozen already", () => {
    const part = { deep: { a: 1 } };
    freezeJson({ part: Object.freeze(part) });
    expect(Object.isFrozen(part.deep)).toBe(false);
  });
});
