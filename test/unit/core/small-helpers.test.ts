import { describe, expect, it } from "vitest";
import { compact } from "../../../src/core/compact.ts";
import { largestOf, smallestOf } from "../../../src/core/extremes.ts";
import { reasonOfRead } from "../../../src/core/file-reasons.ts";
import { freezeJson } from "../../../src/core/freeze-json.ts";
import { shellWord } from "../../../src/core/shell-word.ts";

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

describe("shellWord", () => {
  it.each([
    ["fleet/eu-1", "fleet/eu-1"],
    ["a@b%c+d=e:f,g.h_i", "a@b%c+d=e:f,g.h_i"],
    ["", "''"],
    ["a b", "'a b'"],
    ["a;b", "'a;b'"],
    ["$(id)", "'$(id)'"],
    ["it's", "'it'\\''s'"],
    ["a\nb", "'a\nb'"],
    ["ä", "'ä'"],
  ])("of %j is %s", (text, word) => {
    expect(shellWord(text)).toBe(word);
  });
});

describe("reasonOfRead", () => {
  it.each([
    [Object.assign(new Error("a"), { code: "ENOENT" }), "it is not there"],
    [Object.assign(new Error("a"), { code: "EMFILE" }), undefined],
    [new Error("a"), undefined],
  ])("of %s is %s", (error, reason) => {
    expect(reasonOfRead(error)).toBe(reason);
  });
});

it("takes the largest and the smallest of many numbers, or the bound", () => {
  expect([largestOf([1, 3, 2]), largestOf([1], 5), largestOf([])]).toEqual([3, 5, -Infinity]);
  expect([smallestOf([2, 1, 3]), smallestOf([2], 1), smallestOf([])]).toEqual([1, 1, Infinity]);
});

it("leaves out what is undefined, at the top only", () => {
  expect(compact({ a: undefined, b: null, c: { d: undefined } })).toStrictEqual({ b: null, c: { d: undefined } });
});
