import { describe, expect, it } from "vitest";
import { isContained } from "../../../src/core/is-contained.ts";

describe("isContained", () => {
  it.each<readonly [string, unknown, unknown, boolean]>([
    ["a server adds a default", { a: 1 }, { a: 1, b: 2 }, true],
    ["one adds it in an item of a list", [{ a: 1 }], [{ a: 1, scope: "*" }], true],
    ["an empty list is dropped", { categories: [] }, {}, true],
    ["an empty map is dropped", { status: {} }, {}, true],
    ["an empty map is kept", { status: {} }, { status: {} }, true],
    ["a value differs", { a: { b: 1 } }, { a: { b: 2 } }, false],
    ["a value is missing", { a: { b: 1 } }, { a: {} }, false],
    ["a map is missing that has a value", { a: { b: 1 } }, {}, false],
    ["a list is shorter", { a: [1, 2] }, { a: [1] }, false],
    ["a list is longer", { a: [1] }, { a: [1, 2] }, false],
    ["a list has another order", { a: [1, 2] }, { a: [2, 1] }, false],
    ["a text stands for a map", { a: {} }, { a: "text" }, false],
    ["a list is missing that has an item", { a: [1] }, {}, false],
    ["another value stands for an empty list", { a: [] }, { a: "text" }, false],
    ["an item of several differs", [{ a: 1 }, { b: 1 }], [{ a: 1 }, { b: 2 }], false],
    ["nothing is asked for, and is there", { a: undefined, b: 1 }, { a: 2, b: 1 }, true],
    ["nothing is asked for", { a: undefined }, {}, true],
  ])("%s", (_reason, wanted, actual, answer) => {
    expect(isContained(wanted, actual)).toBe(answer);
  });
});
