import { describe, expect, it } from "vitest";
import { AppError, describeError, errorCodeOf, isAppError } from "../../../src/core/errors.ts";
import { errorCodes } from "../../../src/core/error-codes.ts";

describe("AppError", () => {
  it("has what the table of codes has, unless it is made with something else", () => {
    const { recovery, remedy } = errorCodes["E_KUBE_CONFLICT"];
    expect(new AppError("E_KUBE_CONFLICT", "apply")).toMatchObject({ name: "AppError", recovery, remedy, data: {} });
    const options = { recovery: "stalled", remedy: "Wait.", data: { count: 1 } } as const;
    expect(new AppError("E_KUBE_CONFLICT", "apply", options)).toMatchObject(options);
  });

  it("has a cause only when there is one", () => {
    const cause = new Error("inner");
    expect(new AppError("E_BUG", "a", { cause }).cause).toBe(cause);
    expect("cause" in new AppError("E_BUG", "a")).toBe(false);
  });

  it("is logged without its stack, and with the message of its cause", () => {
    const { recovery } = errorCodes["E_BUG"];
    const plain = { code: "E_BUG", message: "a", recovery };
    expect(new AppError("E_BUG", "a", { cause: "text" }).toJSON()).toStrictEqual(plain);
    expect(new AppError("E_BUG", "a", { cause: new Error("inner"), data: { count: 1 } }).toJSON()).toStrictEqual({
      ...plain,
      data: { count: 1 },
      cause: "inner",
    });
  });
});

const missing = Object.assign(new Error("no such file"), { code: "ENOENT" });

describe("isAppError", () => {
  it.each([
    [new AppError("E_BUG", "a"), [], true],
    [new AppError("E_BUG", "a"), ["E_KUBE_CONFLICT", "E_BUG"], true],
    [new AppError("E_BUG", "a"), ["E_KUBE_CONFLICT"], false],
    [missing, [], false],
    ["E_BUG", [], false],
  ] as const)("of %s among %j is %s", (error, codes, expected) => {
    expect(isAppError(error, ...codes)).toBe(expected);
  });
});

it.each([
  [new AppError("E_BUG", "a"), "E_BUG", "E_BUG: a"],
  [missing, "ENOENT", "no such file"],
  [Object.assign(new Error("a"), { code: 7 }), undefined, "a"],
  [new Error("a"), undefined, "a"],
  [{ code: "ENOENT" }, undefined, "[object Object]"],
  ["text", undefined, "text"],
  [undefined, undefined, "undefined"],
])("what is thrown has a code and a line: %s", (error, code, line) => {
  expect([errorCodeOf(error), describeError(error)]).toEqual([code, line]);
});
