import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";
import { stringType } from "../../../src/cel/cel-type.ts";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("literals that an API server refuses", () => {
  it.each([
    "[[1], []].size() == 2",
    "'abc'.matches(dyn('a'))",
    "timestamp('9999-12-31T23:59:59.999999999Z') > timestamp(0)",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "'a('.matches('abc')",
    "timestamp(253402300799) == timestamp(0)",
    "timestamp(-62135596800) == timestamp(0)",
    "timestamp('0000-12-31T23:30:00-01:00') == timestamp(0)",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["'a'.find('(')", "error parsing regexp: missing closing ): `(`"],
    ["'a'.findAll('(', 1) == []", "error parsing regexp: missing closing ): `(`"],
    [
      "['a', 1].size() == 2 && [1, 'a', b'a'].size() == 3",
      "ERROR: <input>:1:7: expected type 'string' but found 'int'",
    ],
    ["{'a': ['a', 1]}.size() == 1", "ERROR: <input>:1:13: expected type 'string' but found 'int'"],
    ["{1: 'a', 'b': 2}.size() == 2", "ERROR: <input>:1:10: expected type 'int' but found 'string'"],
    ["{1: 'a', 'b': 2, 3u: 3}.size() == 2", "ERROR: <input>:1:10: expected type 'int' but found 'string'"],
    ["[[1], [dyn('a')]].size() == 2", "ERROR: <input>:1:7: expected type 'list(int)' but found 'list(dyn)'"],
    [
      "[{'a': 1}, {1: 1}].size() == 2",
      "ERROR: <input>:1:12: expected type 'map(string, int)' but found 'map(int, int)'",
    ],
    [
      "[optional.of(1), optional.of('a')].size() == 2",
      "ERROR: <input>:1:29: expected type 'optional_type(int)' but found 'optional_type(string)'",
    ],
    ["[1, [1]].size() == 2", "ERROR: <input>:1:5: expected type 'int' but found 'list(int)'"],
    ["'abc'.matches('a(')", "ERROR: <input>:1:15: invalid matches argument"],
    ["matches('abc', 'a(')", "error parsing regexp: missing closing ): `a(`"],
    ["matches('a(', 'abc')", "ERROR: <input>:1:9: invalid matches argument"],
    ["duration('') == duration('1s')", "ERROR: <input>:1:10: invalid duration argument"],
    ["duration('1') == duration('1s')", "ERROR: <input>:1:10: invalid duration argument"],
    ["duration(1) == duration('1s')", "ERROR: <input>:1:10: invalid duration argument"],
    [
      "duration(1u) == duration('1s')",
      "ERROR: <input>:1:9: found no matching overload for 'duration' applied to '(uint)'",
    ],
    ["timestamp('') == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
    ["timestamp('2020-01-01') == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
    [
      "timestamp(1.5) == timestamp(0)",
      "ERROR: <input>:1:10: found no matching overload for 'timestamp' applied to '(double)'",
    ],
    ["duration('9223372036854775808ns') == duration('1s')", "ERROR: <input>:1:10: invalid duration argument"],
    ["duration('3000000h') == duration('1s')", "ERROR: <input>:1:10: invalid duration argument"],
    ["timestamp('10000-01-01T00:00:00Z') == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
    ["timestamp('0000-12-31T23:59:59Z') == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
    ["timestamp('9999-12-31T23:59:59-01:00') == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
    ["timestamp('0001-01-01T00:00:00+01:00') == timestamp(0)", "ERROR: <input>:1:11: invalid timestamp argument"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

describe("a literal pattern that is none", () => {
  const compile = (text: string) => {
    const program = compileCel(text, { variables: { self: stringType } });
    return program.kind === "refused" ? [program.stage, program.message.split("\n")[0]] : program.kind;
  };

  // Answers of kube-apiserver 1.34.4, as its program instantiation.
  it.each([
    ["self.find('a(') == ''", "missing closing ): `a(`"],
    ["self.findAll('[a', 2) == []", "missing closing ]: `[a`"],
    ["matches(self, 'a**')", "invalid nested repetition operator: `**`"],
    ["[self.find('*a')] == ['']", "missing argument to repetition operator: `*`"],
    ["self == '' || self.find('a)') == ''", "unexpected ): `a)`"],
  ])("is refused before the expression runs: %s", (text, why) => {
    expect(compile(text)).toEqual(["instantiation", `error parsing regexp: ${why}`]);
  });

  it("is refused as an argument of matches, of which the first one counts", () => {
    const refusal = (column: number) => ["compilation", `ERROR: <input>:1:${column}: invalid matches argument`];
    expect(compile("self.matches('a(')")).toEqual(refusal(14));
    expect(compile("matches('a(', self)")).toEqual(refusal(9));
  });

  it.each(["self.find('a') == ''", "'a('.find('a') == ''", "self.find(self) == ''", "self.indexOf('a(') == 0"])(
    "is not seen in %s",
    (text) => {
      expect(compile(text)).toBe("program");
    },
  );
});
