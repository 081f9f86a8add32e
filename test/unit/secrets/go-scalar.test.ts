import { describe, expect, it } from "vitest";
import { formatGoFloat, readGoScalar } from "../../../src/secrets/go-scalar.ts";

describe("readGoScalar", () => {
  // What the program prints for each, from Go's yaml.v3 through ToBytes of SOPS.
  it.each([
    ["", "null"],
    ["~", "null"],
    ["Null", "null"],
    ["nUll", "string nUll"],
    ["true", "bool true"],
    ["FALSE", "bool false"],
    ["yes", "string yes"],
    ["on", "string on"],
    ["n", "string n"],
    ["0", "int 0"],
    ["-0", "int 0"],
    ["+12", "int 12"],
    ["0755", "int 493"],
    ["-0755", "int -493"],
    ["0o17", "int 15"],
    ["0xFf", "int 255"],
    ["0b101", "int 5"],
    ["1_000", "int 1000"],
    ["08", "float 8"],
    ["9223372036854775807", "int 9223372036854775807"],
    ["9223372036854775808", "unsupported"],
    ["1.50", "float 1.5"],
    ["1e3", "float 1000"],
    ["1e21", "float 1000000000000000000000"],
    ["-1e-7", "float -0.0000001"],
    [".5", "float 0.5"],
    ["5.", "float 5"],
    [".inf", "float +Inf"],
    ["-.INF", "float -Inf"],
    [".NaN", "float NaN"],
    [".", "string ."],
    ["..", "string .."],
    ["1.2.3", "string 1.2.3"],
    ["1:30", "string 1:30"],
    ["-", "string -"],
    ["-x", "string -x"],
    ["2024-01-02", "time 2024-01-02T00:00:00Z"],
    ["2024-1-2", "time 2024-01-02T00:00:00Z"],
    ["2024-02-30", "string 2024-02-30"],
    ["2024-01-02T03:04:05Z", "time 2024-01-02T03:04:05Z"],
    ["2024-01-02t03:04:05.670+02:00", "time 2024-01-02T03:04:05.67+02:00"],
    ["2024-01-02 3:4:5", "time 2024-01-02T03:04:05Z"],
    ["2024-01-02T03:04:05", "string 2024-01-02T03:04:05"],
    ["2024-01-02 25:00:00", "string 2024-01-02 25:00:00"],
    ["20240102", "int 20240102"],
    ["hello", "string hello"],
  ])("reads %s as %s", (source, expected) => {
    const scalar = readGoScalar(source);
    const text = "text" in scalar ? scalar.text : "value" in scalar ? String(scalar.value) : "";
    expect(`${scalar.kind} ${text}`.trim()).toBe(expected);
  });
});

describe("formatGoFloat", () => {
  it.each([
    [0.1, "0.1"],
    [100, "100"],
    [1.5e21, "1500000000000000000000"],
    [-1.25e-9, "-0.00000000125"],
    [5e-324, `0.${"0".repeat(323)}5`],
    [-0, "-0"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Inf"],
  ])("writes %d as %s", (value, expected) => {
    expect(formatGoFloat(value)).toBe(expected);
  });
});
