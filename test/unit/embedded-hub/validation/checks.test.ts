import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import {
  amountOf,
  checkPortName,
  immutable,
  notOverAll,
  validateAmount,
  validatePort,
} from "../../../../src/embedded-hub/validation/checks.ts";
import { textsOf } from "./validation-builders.ts";

const characters = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
const letter = "must contain at least one letter (a-z)";
const hyphens = "must not begin or end with a hyphen";
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

describe("names of ports", () => {
  it.each<[name: string, faults: readonly string[]]>([
    ["a", []],
    ["a-1", []],
    ["a".repeat(15), []],
    ["a".repeat(16), ["must be no more than 15 characters"]],
    ["1", [letter]],
    ["", [characters, letter]],
    ["_a", [characters]],
    ["a_", [characters]],
    ["a--b", ["must not contain consecutive hyphens"]],
    ["-a", [hyphens]],
    ["a-", [hyphens]],
  ])("%j: %j", (name, faults) => {
    expect(checkPortName(name)).toEqual(faults);
  });
});

describe("ports", () => {
  it.each<[port: Json | undefined, faults: readonly string[]]>([
    [1, []],
    [65_535, []],
    ["web", []],
    ["1", [`p: Invalid value: "1": ${letter}`]],
    [0, ["p: Invalid value: 0: must be between 1 and 65535, inclusive"]],
    [65_536, ["p: Invalid value: 65536: must be between 1 and 65535, inclusive"]],
    [undefined, ["p: Invalid value: 0: must be between 1 and 65535, inclusive"]],
  ])("%j: %j", (port, faults) => {
    expect(textsOf(validatePort(port, "p"))).toEqual(faults);
  });
});

describe("counts and percentages", () => {
  it.each<[value: Json | undefined, amount: number, faults: readonly string[]]>([
    [0, 0, []],
    [5, 5, []],
    [-1, -1, ["n: Invalid value: -1: must be greater than or equal to 0"]],
    [-(2n ** 60n), 0, ["n: Invalid value: -1152921504606846976: must be greater than or equal to 0"]],
    ["50%", 50, []],
    ["50", 0, [`n: Invalid value: "50": ${percent}`]],
    ["-50%", 0, [`n: Invalid value: "-50%": ${percent}`]],
    ["50%x", 0, [`n: Invalid value: "50%x": ${percent}`]],
    ["%", 0, [`n: Invalid value: "%": ${percent}`]],
    [undefined, 0, []],
    [null, 0, []],
  ])("%s are %s: %s", (value, amount, faults) => {
    expect(amountOf(value)).toBe(amount);
    expect(textsOf(validateAmount(value, "n"))).toEqual(faults);
  });

  it("are not over all when they are percentages", () => {
    expect(notOverAll("100%", "n")).toEqual([]);
    expect(notOverAll(101, "n")).toEqual([]);
    expect(textsOf(notOverAll("101%", "n"))).toEqual(['n: Invalid value: "101%": must not be greater than 100%']);
  });
});

describe("what may not change", () => {
  it("is compared as JSON: null is nothing", () => {
    expect([...immutable({ a: 1 }, { a: 1 }, "f"), ...immutable(undefined, null, "f")]).toEqual([]);
    expect(textsOf([...immutable("b", "a", "f"), ...immutable(undefined, "a", "f")])).toEqual([
      'f: Invalid value: "b": field is immutable',
      "f: Invalid value: null: field is immutable",
    ]);
  });
});
