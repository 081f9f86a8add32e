import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("texts that are made by a format", () => {
  it.each([
    "'%s'.format([timestamp('2020-01-01T00:00:00+02:00')]) == '2020-01-01T00:00:00+02:00'",
    "'%s'.format([['\\x01', 'a\"b', '\\a\\n']]) == '[\"\\\\x01\", \"a\\\\\"b\", \"\\\\a\\\\n\"]'",
    "'%s'.format([1.5]) == '1.5'",
    "'%s'.format([1.0]) == '1'",
    "'%s'.format([[1.0]]) == '[1.000000]'",
    "'%s'.format([null]) == 'null'",
    "'%s'.format([b'ab']) == 'ab'",
    "'%s'.format([[b'ab']]) == '[b\"ab\"]'",
    "'%s'.format([true]) == 'true'",
    "'%s'.format([5u]) == '5'",
    "'%s'.format([duration('1.5s')]) == '1.5s'",
    "'%s'.format([[duration('1.5s')]]) == '[duration(\"1.5s\")]'",
    "'%s'.format([[timestamp(0)]]) == '[timestamp(\"1970-01-01T00:00:00Z\")]'",
    "'%s'.format([int]) == 'int'",
    "'%s'.format([{'b': 1, 'a': 2}]) == '{\"a\":2, \"b\":1}'",
    "'%d'.format([5u]) == '5'",
    "'%b'.format([true]) == '1'",
    "'%b'.format([false]) == '0'",
    "'%b'.format([5u]) == '101'",
    "'%x'.format(['ab']) == '6162'",
    "'%X'.format([b'\\xab']) == 'AB'",
    "'%x'.format([255u]) == 'ff'",
    "'%x'.format([-255]) == '-ff'",
    "'%o'.format([8u]) == '10'",
    "'%f'.format([1234567.5]) == '1,234,567.500000'",
    "'%f'.format([123.5]) == '123.500000'",
    "'%f'.format([-1234.5]) == '-1,234.500000'",
    "'%f'.format([-123.5]) == '-123.500000'",
    "'%.1f'.format([999.96]) == '1,000.0'",
    "'%f'.format(['NaN']) == 'NaN'",
    "'%f'.format(['Infinity']) == '∞'",
    "'%f'.format(['-Infinity']) == '-∞'",
    "'%f'.format([1.0/0.0]) == '∞'",
    "'%.100f'.format([1.0]) != ''",
    "'%.0f'.format([1.5]) == '2'",
    "'%.1s'.format(['abc']) == 'abc'",
    "'a%%b%sc'.format(['x']) == 'a%bxc'",
    "'%%%%'.format([]) == '%%'",
    "'%s'.format([[1, [2]]]) == '[1, [2]]'",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each(["'%s'.format([['\\x01', 'a\"b', '\\a\\n']]) == '[\"\\x01\", \"a\\\\\"b\", \"\\\\a\\\\n\"]'"])(
    "it is false: %s",
    (text) => {
      expect(celOutcome(text)).toBe(false);
    },
  );

  it.each([
    [
      "'%d'.format([dyn(5.5)]) == '5'",
      "error during formatting: decimal clause can only be used on integers, was given double",
    ],
    [
      "'%d'.format([dyn('x')]) == '5'",
      "error during formatting: decimal clause can only be used on integers, was given string",
    ],
    [
      "'%.f'.format([1.0]) == '1'",
      'ERROR: <input>:1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
    [
      "'%.'.format([1.0]) == '1'",
      "ERROR: <input>:1:12: could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
    ],
    [
      "'%.1'.format([1.0]) == '1'",
      "ERROR: <input>:1:13: could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
    ],
    ["'%'.format([1.0]) == '1'", "ERROR: <input>:1:11: unexpected end of string"],
    ["'%s %s'.format(['a']) == 'a'", "ERROR: <input>:1:15: index 1 out of range"],
    [
      "'%s'.format(['a', 'b']) == 'a'",
      "ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)",
    ],
    [
      "'%d'.format([[1]]) == ''",
      "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given list",
    ],
    [
      "'%d'.format([{1: 1}]) == ''",
      "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given map",
    ],
    [
      "'%f'.format([1]) == ''",
      "ERROR: <input>:1:14: error during formatting: fixed-point clause can only be used on doubles, was given int",
    ],
    [
      "'%e'.format([1]) == ''",
      "ERROR: <input>:1:14: error during formatting: scientific clause can only be used on doubles, was given int",
    ],
    [
      "'%b'.format([1.5]) == ''",
      "ERROR: <input>:1:14: error during formatting: only integers and bools can be formatted as binary, was given double",
    ],
    [
      "'%o'.format([true]) == ''",
      "ERROR: <input>:1:14: error during formatting: octal clause can only be used on integers, was given bool",
    ],
    [
      "'%x'.format([true]) == ''",
      "ERROR: <input>:1:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given bool",
    ],
    [
      "dyn('%d').format([dyn('x')]) == ''",
      "error during formatting: decimal clause can only be used on integers, was given string",
    ],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
