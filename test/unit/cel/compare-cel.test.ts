import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("the equality of values", () => {
  it.each([
    "type(optional.of(1)) == optional_type",
    "type(int) == type",
    "type(type) == type",
    "dyn(b'a') == dyn(b'a')",
    "dyn(1u) == dyn(1)",
    "dyn({1: 2}) == dyn({1u: 2.0})",
    "dyn(null) == dyn(null)",
    "optional.of(1) == optional.of(1)",
    "optional.none() == optional.none()",
    "type(1) == type(2)",
    "dyn(9223372036854775807) == dyn(9223372036854775808.0)",
    "dyn(1) in [1.0, 2.0]",
    "1 in dyn([1.0])",
    "dyn(1.0) in {1: 'a'}",
    "dyn(1u) in {1: 'a'}",
    "{dyn(1): 'a', dyn('1'): 'b'}.size() == 2",
    "{'a': 1, 'a': 2}.size() == 1",
    "{dyn(null): 1}.size() == 1",
    "{dyn(1.5): 1}.size() == 1",
    "{dyn(1.0): 1}.size() == 1",
    "[1] + [2] == [1, 2]",
    "[] + [1] == [1]",
    "[1, 2, 3,] == [1, 2, 3]",
    "{'a': 1,} == {'a': 1}",
    "-(dyn(1.5)) == -1.5",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "dyn(timestamp(0)) == dyn(duration('0s'))",
    "dyn(timestamp(0)) == dyn(0)",
    "dyn(b'a') == dyn('a')",
    "dyn('a') == dyn(b'a')",
    "b'a' == b'b'",
    "dyn(1u) == dyn('1')",
    "{'a': 1} == {'b': 1}",
    "{'a': 1, 'b': 2} == {'a': 1}",
    "{'a': 1} == {'a': 2}",
    "[1] == [1, 2]",
    "[1, 2] == [1]",
    "dyn([1]) == dyn({1: 1})",
    "dyn(null) == dyn(0)",
    "optional.of(1) == optional.of(2)",
    "optional.of(1) == optional.none()",
    "dyn(optional.of(1)) == dyn(1)",
    "type(1) == type('a')",
    "dyn(type(1)) == dyn('int')",
    "dyn('1') in {1: 'a'}",
    "dyn(1.5) in {1: 'a'}",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["dyn('1.1.1.1').family() == 4", "no such overload"],
    ["1 in [1.0]", "ERROR: <input>:1:3: found no matching overload for '@in' applied to '(int, list(double))'"],
    ["-dyn('a') == 1", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("the order of values", () => {
  it.each([
    "1 < 2u",
    "-1 < 0u",
    "1u <= 1.0",
    "1.5 > 1u",
    "b'a' < b'b'",
    "b'a' <= b'a'",
    "false < true",
    "true <= true",
    "'a' <= 'a'",
    "'b' > 'a'",
    "'\\U0001F600' > '\\uFFFF'",
    "timestamp('2020-01-01T00:00:00Z') < timestamp('2020-01-01T00:00:01Z')",
    "timestamp('2020-01-01T00:00:00Z') <= timestamp('2020-01-01T00:00:00Z')",
    "duration('2s') > duration('1s')",
    "duration('1s') >= duration('1s')",
    "timestamp(253402300799) + duration('0.999999999s') > timestamp(0)",
    "timestamp(-62135596800) < timestamp(0)",
    "double('-inf') < 0.0",
    "double('+Infinity') > 0.0",
    "timestamp(5) > timestamp(0)",
    "1 < 2 == true",
    "-1.5 < 0.0",
    "-9223372036854775808 < 0",
    "double('0x12.34p0') > 18.2 && double('0x12.34p0') < 18.21",
    "'a' <= 'b' && !('b' <= 'a')",
    "dyn(1) < dyn(2.0)",
    "'abc' < 'abd'",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "9223372036854775807 < 9223372036854775808.0",
    "2u < 1",
    "b'b' < b'a'",
    "'a' < 'a'",
    "'b' >= 'c'",
    "timestamp('2020-01-01T00:00:00Z') < timestamp('2020-01-01T00:00:00Z')",
    "duration('1s') > duration('2s')",
    "1 <= 0",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["double('NaN') < 1.0", "NaN values cannot be ordered"],
    ["double('NaN') >= 1.0", "NaN values cannot be ordered"],
    ["double('1e400') > 0.0", "type conversion error from 'string' to 'double'"],
    ["-9223372036854775809 < 0", "ERROR: <input>:1:1: invalid int literal"],
    ["double('xinf') > 0.0", "type conversion error from 'string' to 'double'"],
    ["double('infx') > 0.0", "type conversion error from 'string' to 'double'"],
    ["double('nanx') > 0.0", "type conversion error from 'string' to 'double'"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
