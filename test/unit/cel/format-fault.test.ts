import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("formats that do not fit their values", () => {
  it.each([
    [
      "'%s'.format([1, 2][0]) == '1'",
      "ERROR: <input>:1:12: found no matching overload for 'format' applied to 'string.(int)'",
    ],
    ["'%'.format([]) == '%'", "ERROR: <input>:1:11: unexpected end of string"],
    ["'%s%'.format(['a']) == 'a'", "ERROR: <input>:1:13: unexpected end of string"],
    ["'%s%'.format(['a', 'b']) == 'a'", "ERROR: <input>:1:13: unexpected end of string"],
    ["'a%'.format(['a']) == 'a'", "ERROR: <input>:1:12: unexpected end of string"],
    [
      "'%y'.format(['a']) == 'a'",
      'ERROR: <input>:1:12: could not parse formatting clause: unrecognized formatting clause "y"',
    ],
    [
      "'%\\n'.format(['a']) == 'a'",
      'ERROR: <input>:1:13: could not parse formatting clause: unrecognized formatting clause "',
    ],
    [
      "'%.1y'.format(['a']) == 'a'",
      'ERROR: <input>:1:14: could not parse formatting clause: unrecognized formatting clause "y"',
    ],
    [
      "'%.1'.format(['a']) == 'a'",
      "ERROR: <input>:1:13: could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
    ],
    [
      "'%.-1f'.format([1.0]) == '1'",
      'ERROR: <input>:1:15: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
    [
      "'%X'.format([true]) == ''",
      "ERROR: <input>:1:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given bool",
    ],
    [
      "'%X'.format([null]) == ''",
      "ERROR: <input>:1:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given null_type",
    ],
    [
      "'%o'.format(['a']) == ''",
      "ERROR: <input>:1:14: error during formatting: octal clause can only be used on integers, was given string",
    ],
    [
      "'%b'.format(['a']) == ''",
      "ERROR: <input>:1:14: error during formatting: only integers and bools can be formatted as binary, was given string",
    ],
    [
      "'%d'.format([1.5]) == ''",
      "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given double",
    ],
    [
      "'%d'.format([null]) == ''",
      "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given null_type",
    ],
    [
      "'%d'.format([type(1)]) == ''",
      "ERROR: <input>:1:18: error during formatting: decimal clause can only be used on integers, was given type",
    ],
    [
      "'%d'.format([int]) == ''",
      "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given type",
    ],
    [
      "'%d'.format([timestamp(0)]) == ''",
      "ERROR: <input>:1:23: error during formatting: decimal clause can only be used on integers, was given google.protobuf.Timestamp",
    ],
    [
      "'%d'.format([optional.of(1)]) == ''",
      "ERROR: <input>:1:25: error during formatting: decimal clause can only be used on integers, was given optional_type",
    ],
    [
      "'%s'.format([optional.of(1)]) == ''",
      "ERROR: <input>:1:25: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type",
    ],
    [
      "'%s'.format([quantity('1')]) == ''",
      "ERROR: <input>:1:22: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
    [
      "'%s'.format([ip('1.1.1.1')]) == ''",
      "ERROR: <input>:1:16: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP",
    ],
    [
      "'%s'.format([url('http://a.b')]) == ''",
      "ERROR: <input>:1:17: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.URL",
    ],
    [
      "'%s'.format([[[quantity('1')]]]) == ''",
      "ERROR: <input>:1:24: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
    [
      "'%d'.format([['a'][0]]) == '1'",
      "ERROR: <input>:1:19: error during formatting: decimal clause can only be used on integers, was given string",
    ],
    [
      "'%d'.format([[1]]) == '1'",
      "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given list",
    ],
    [
      "'%d'.format([[1].map(x, x)]) == '1'",
      "ERROR: <input>:1:21: error during formatting: decimal clause can only be used on integers, was given list",
    ],
    [
      "'%f'.format([[1]]) == '1'",
      "ERROR: <input>:1:14: error during formatting: fixed-point clause can only be used on doubles, was given list",
    ],
    [
      "'%s'.format('a') == 'a'",
      "ERROR: <input>:1:12: found no matching overload for 'format' applied to 'string.(string)'",
    ],
    [
      "'%s'.format({'a': 1}) == 'a'",
      "ERROR: <input>:1:12: found no matching overload for 'format' applied to 'string.(map(string, int))'",
    ],
    [
      "format('%s', ['a']) == 'a'",
      "ERROR: <input>:1:7: found no matching overload for 'format' applied to '(string, list(string))'",
    ],
    ["'%s'.format() == 'a'", "ERROR: <input>:1:12: found no matching overload for 'format' applied to 'string.()'"],
    [
      "1.format(['a']) == 'a'",
      "ERROR: <input>:1:9: found no matching overload for 'format' applied to 'int.(list(string))'",
    ],
    [
      "'%s'.format([[1, 'a'], 2]) == '[1, \"a\"]'",
      "ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)",
    ],
    [
      "['%s'.format([1, 'a'])] == ['1']",
      "ERROR: <input>:1:13: too many arguments supplied to string.format (expected 1, got 2)",
    ],
    ["[1, '%s'.format([1, 'a'])] == ['1']", "ERROR: <input>:1:16: expected type 'int' but found 'string'"],
    ["f('%s'.format([[1, 'a']]))", "ERROR: <input>:1:2: undeclared reference to 'f' (in container '')"],
    ["'%y'.format([]) == ''", "ERROR: <input>:1:12: index 0 out of range"],
    [
      "'%d'.format([duration('1h')]) == ''",
      "ERROR: <input>:1:22: error during formatting: decimal clause can only be used on integers, was given google.protobuf.Duration",
    ],
    [
      "'%d'.format([b'a']) == ''",
      "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given bytes",
    ],
    [
      "'%d'.format([net.IP]) == ''",
      "ERROR: <input>:1:17: error during formatting: decimal clause can only be used on integers, was given type",
    ],
    [
      "'%d'.format([ip('1.1.1.1')]) == ''",
      "ERROR: <input>:1:16: error during formatting: decimal clause can only be used on integers, was given net.IP",
    ],
    [
      "'%s'.format([[optional.of(1)]]) == ''",
      "ERROR: <input>:1:26: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type",
    ],
    [
      "'%s'.format([{1: quantity('1')}]) == ''",
      "ERROR: <input>:1:26: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
