import { celOutcome } from "../../support/cel-outcome.ts";
import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";

function run(text: string): unknown {
  const program = compileCel(text, { variables: {} });
  if (program.kind === "refused") return `refused: ${program.message}`;
  const outcome = program.run({}, 1_000_000);
  return outcome.kind === "value" ? outcome.value : outcome.message;
}

// Source: cel-go, common/types/overflow.go and common/types/string.go.
describe("numbers at the ends of their types", () => {
  it.each([
    { text: "(-9223372036854775807 - 1) % -1", result: "integer overflow" },
    { text: "7 % -1", result: 0n },
    { text: "int(1.0 * -9223372036854775808.0)", result: "integer overflow" },
    { text: "int(1.0 * -9223372036854774784.0)", result: -9_223_372_036_854_774_784n },
    { text: "uint(1.0 * -0.5)", result: "unsigned integer overflow" },
    { text: "uint(1.0 * 0.5)", result: { kind: "uint", value: 0n } },
    { text: "double('1e' + '400')", result: "type conversion error from 'string' to 'double'" },
    { text: "double('in' + 'f')", result: Infinity },
    { text: "string(1.0 * -0.0)", result: "-0" },
  ])("gives for $text what an API server gives", ({ text, result }) => {
    expect(run(text)).toEqual(result);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("conversions", () => {
  it.each([
    "duration('1s') + duration('2s') == duration('3s')",
    "duration('3s') - duration('2s') == duration('1s')",
    "timestamp(5) - timestamp(3) == duration('2s')",
    "timestamp(5) - duration('2s') == timestamp(3)",
    "duration('2s') + timestamp(3) == timestamp(5)",
    "int(duration('5s')) == 5000000000",
    "int(timestamp('1969-12-31T23:59:59.5Z')) == -1",
    "int(timestamp('1970-01-01T00:00:00.5Z')) == 0",
    "string(timestamp('1969-12-31T23:59:59.5Z')) == '1969-12-31T23:59:59.5Z'",
    "string(timestamp('2020-01-01T00:00:00.120Z')) == '2020-01-01T00:00:00.12Z'",
    "string(timestamp('2020-01-01T00:00:00.000000001Z')) == '2020-01-01T00:00:00.000000001Z'",
    "string(duration('-1.5s')) == '-1.5s'",
    "string(duration('0s')) == '0s'",
    "string(duration('1h')) == '3600s'",
    "string(duration('1ns')) == '0.000000001s'",
    "string(duration('-1ns')) == '-0.000000001s'",
    "int('9223372036854775807') == 9223372036854775807",
    "int('-9223372036854775808') == -9223372036854775808",
    "int('+5') == 5",
    "uint('5') == 5u",
    "uint('18446744073709551615') == 18446744073709551615u",
    "uint(5.9) == 5u",
    "uint(18446744073709549568.0) == 18446744073709549568u",
    "int(9223372036854775807u) == 9223372036854775807",
    "int(9223372036854774784.0) == 9223372036854774784",
    "uint(0) == 0u",
    "double(5) == 5.0",
    "double(5u) == 5.0",
    "double('.5') == 0.5",
    "double('5.') == 5.0",
    "double('+5') == 5.0",
    "double('0x1p4') == 16.0",
    "double('1_0') == 10.0",
    "double('nAn') != double('nan')",
    "bool('1') && bool('t') && bool('T') && bool('true') && bool('TRUE') && bool('True')",
    "bool(true)",
    "bytes(b'a') == b'a'",
    "bytes('a') == b'a'",
    "string('a') == 'a'",
    "string(false) == 'false'",
    "string(5u) == '5'",
    "string(b'a') == 'a'",
    "string(-5) == '-5'",
    "string(1.0 / 0.0) == '+Inf'",
    "string(double('NaN')) == 'NaN'",
    "string(0.000001) == '1e-06'",
    "string(123456789.0) == '1.23456789e+08'",
    "int(5) == 5 && uint(5u) == 5u && double(5.5) == 5.5",
    "timestamp(timestamp(0)) == timestamp(0)",
    "duration(duration('1s')) == duration('1s')",
    "dyn(5) == 5",
    "type(dyn(5)) == int",
    "string(timestamp('2020-01-01T00:00:00+02:00')) == '2020-01-01T00:00:00+02:00'",
    "string(timestamp('2020-01-01T00:00:00-00:00')) == '2020-01-01T00:00:00Z'",
    "string(timestamp('2020-01-01T00:00:00+00:00')) == '2020-01-01T00:00:00Z'",
    "string(timestamp('2020-01-01T00:00:00+02:00') + duration('1s')) == '2020-01-01T00:00:01+02:00'",
    "string(timestamp(0)) == '1970-01-01T00:00:00Z'",
    "timestamp('2020-01-01T00:00:00+02:00') == timestamp('2019-12-31T22:00:00Z')",
    "double('0x1.8p1') == 3.0",
    "double('1_0.5') == 10.5",
    "double('0x_1p4') == 16.0",
    "double('1e-400') == 0.0",
    "double('-0x1p1') == -2.0",
    "double('+0x1p-1') == 0.5",
    "double('0x1p10') == 1024.0",
    "double('.25') == 0.25",
    "uint(0.0) == 0u",
    "duration('9223372036.854775807s') + duration('0s') == duration('9223372036.854775807s')",
    "duration('-9223372036.854775808s') - duration('0s') == duration('-9223372036.854775808s')",
    "timestamp('2020-01-01T00:00:00-05:30') - duration('1s') == timestamp('2020-01-01T05:29:59Z')",
    "string(timestamp('2020-01-01T00:00:00-05:30')) == '2020-01-01T00:00:00-05:30'",
    "string(duration('1s') + timestamp('2020-01-01T00:00:00-05:30')) == '2020-01-01T00:00:01-05:30'",
    "string(timestamp('2020-01-01T00:00:00.5-05:30') - duration('1s')) == '2019-12-31T23:59:59.5-05:30'",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "string(timestamp('2020-01-01T00:00:00+02:00')) == '2019-12-31T22:00:00Z'",
    "bool('0') || bool('f') || bool('F') || bool('false') || bool('FALSE') || bool('False')",
    "double('1.5e1_0') == 1.0",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["timestamp(253402300799) + duration('1s') == timestamp(0)", "timestamp overflow"],
    ["timestamp(-62135596800) - duration('1ns') == timestamp(0)", "timestamp overflow"],
    ["timestamp(253402300800) == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
    ["timestamp(-62135596801) == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
    ["timestamp(253402300799) - timestamp(-62135596800) == duration('0s')", "integer overflow"],
    ["duration('9223372036s') + duration('1s') == duration('0s')", "integer overflow"],
    ["duration('-9223372036s') - duration('1s') == duration('0s')", "integer overflow"],
    ["duration(5) == duration('5ns')", "ERROR: <input>:1:10: invalid duration argument"],
    ["duration(5) == duration('5s')", "ERROR: <input>:1:10: invalid duration argument"],
    ["int('9223372036854775808') == 0", "type conversion error from 'string' to 'int'"],
    ["int('-9223372036854775809') == 0", "type conversion error from 'string' to 'int'"],
    ["int('') == 5", "type conversion error from 'string' to 'int'"],
    ["int('1_0') == 10", "type conversion error from 'string' to 'int'"],
    ["uint('+5') == 5u", "type conversion error from 'string' to 'uint'"],
    ["uint('-5') == 5u", "type conversion error from 'string' to 'uint'"],
    ["uint('18446744073709551616') == 0u", "type conversion error from 'string' to 'uint'"],
    ["uint(-1.0) == 5u", "unsigned integer overflow"],
    ["uint(18446744073709551615.0) == 5u", "unsigned integer overflow"],
    ["int(9223372036854775808u) == 0", "integer overflow"],
    ["int(9223372036854775807.0) == 0", "integer overflow"],
    ["int(-9223372036854775808.0) == 0", "integer overflow"],
    ["int(1.0/0.0) == 0", "integer overflow"],
    ["uint(1.0/0.0) == 0u", "unsigned integer overflow"],
    ["double('') == 5.0", "type conversion error from 'string' to 'double'"],
    ["double('1e') == 5.0", "type conversion error from 'string' to 'double'"],
    ["double('e1') == 5.0", "type conversion error from 'string' to 'double'"],
    ["double('.') == 5.0", "type conversion error from 'string' to 'double'"],
    ["double('+nan') != 1.0", "type conversion error from 'string' to 'double'"],
    ["bool('tRue')", "type conversion error from 'string' to 'bool'"],
    ["string(b'\\xff') == 'a'", "invalid UTF-8 in bytes, cannot convert to string"],
    ["duration(0) == duration('0s')", "ERROR: <input>:1:10: invalid duration argument"],
    ["double('0x1') == 1.0", "type conversion error from 'string' to 'double'"],
    ["double('1__0') == 10.0", "type conversion error from 'string' to 'double'"],
    ["double('_1') == 1.0", "type conversion error from 'string' to 'double'"],
    ["double('1_') == 1.0", "type conversion error from 'string' to 'double'"],
    ["double('x0x1p1') == 2.0", "type conversion error from 'string' to 'double'"],
    ["double('0x1p1x') == 2.0", "type conversion error from 'string' to 'double'"],
    ["uint('1+1') == 2u", "type conversion error from 'string' to 'uint'"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
