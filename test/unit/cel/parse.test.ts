import { celOutcome } from "../../support/cel-outcome.ts";
import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";
import { dyn } from "../../../src/cel/cel-type.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { leastGrowth } from "../../support/least-growth.ts";

function outcomeOf(text: string): unknown {
  const program = compileCel(text, { variables: { self: dyn } });
  if (program.kind === "refused") return program.message.split("\n")[0];
  const outcome = program.run({ self: true }, 1_000_000);
  return outcome.kind === "value" ? outcome.value : outcome.message;
}

describe("compileCel", () => {
  const tooDeep = "ERROR: <input>:1:1: expression recursion limit exceeded: 250";

  it.each([
    ["a sum of 200 parts", `${"1 + ".repeat(200)}1 == 201`, true],
    ["a sum of 12,000 parts", `${"1 + ".repeat(12_000)}1 > 0`, tooDeep],
    ["300 fields within one another", `self${".a".repeat(300)} == 1`, tooDeep],
    ["300 methods one after the other", `self${".map(x, x)".repeat(300)} == 1`, tooDeep],
    ["11,000 alternatives", `${"!self || ".repeat(11_000)}self`, true],
    ["12,000 conditions", `${"self && ".repeat(12_000)}!self`, false],
    ["alternatives of conditions", `${"!self && self || ".repeat(3000)}self`, true],
  ])("A61 reads %s without a deep stack", (_what, text, expected) => {
    expect(outcomeOf(text)).toBe(expected);
  });

  it.each([
    ["empty lists", (count: number) => `[${"[], ".repeat(count)}[]].size() > 0`],
    ["empty maps", (count: number) => `[${"{}, ".repeat(count)}{}].size() > 0`],
    ["sums", (count: number) => `[${"1 + 1, ".repeat(count)}1].size() > 0`],
  ])("A61 checks a long list of %s in linear time", (_what, textOf) => {
    const checking = (count: number): number => leastCpuMs(() => outcomeOf(textOf(count)));
    const costs = { large: () => checking(8000), small: () => Math.max(5, checking(1000)) };
    // Quadratic time would be 64 times as much.
    expect(leastGrowth(costs, 24)).toBeLessThan(24);
  });

  it.each([
    ["-", "1", 1n],
    ["!", "self", true],
    ["- ", "1", 1n],
  ])("reads thousands of %j before a value", (sign, value, expected) => {
    expect(outcomeOf(`${sign.repeat(30_000)}${value}`)).toBe(expected);
  });

  it.each(["(", "[", "{1: ", "size(", "self ? 1 : "])("refuses an expression within thousands of %j", (opening) => {
    expect(outcomeOf(opening.repeat(30_000 / opening.length))).toBe(tooDeep);
  });

  it.each([
    [100_000, true],
    [100_001, "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000"],
  ])("A224 reads a text of 100,000 characters, and none of more", (count, expected) => {
    expect(outcomeOf(`'${"😀".repeat(count - 6)}'!=''`)).toBe(expected);
  });

  it("points at the operator of each mistake in a chain", () => {
    const refused = compileCel("self || 1 || self || 'x'", { variables: { self: dyn } });
    expect(refused).toMatchObject({ kind: "refused" });
    expect(refused.kind === "refused" && refused.issues).toEqual([
      { position: 8, message: "expected type 'bool' but found 'int'" },
      { position: 21, message: "expected type 'bool' but found 'string'" },
    ]);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("literals", () => {
  it.each([
    "1 == 1 == true",
    "0x10u == 16u",
    "'a\\nb' == \"a\\nb\"",
    "r'\\n'.size() == 2",
    "b'\\xff'.size() == 1",
    "'\\377' == 'ÿ'",
    "b'\\377'.size() == 1",
    "b'é' == bytes('é') && b'é'.size() == 2",
    "string(b'''it's 5 €''') == \"it's 5 €\" && [b\"😀\"] == [bytes('😀')]",
    "b'é\\xff\\303\\251\\'\\\\😀'.size() == 11 && string(b'\\xc3\\xa9é\\n') == 'éé\\n'",
    'b\'\'.size() == 0 && b"""""".size() == 0',
    "'\\'' == \"'\"",
    "'\\u00e9a'.size() == 2",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    ["9223372036854775808 == 1", "ERROR: <input>:1:1: invalid int literal"],
    ["0xFFFFFFFFFFFFFFFF == 1", "ERROR: <input>:1:1: invalid int literal"],
    ["1.e3 == 1000.0", "ERROR: <input>:1:2: type 'int' does not support field selection"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

describe("syntax", () => {
  it.each([
    "br'\\n'.size() == 2 && BR\"\"\"a\"b\"\"\" == b'a\"b' && bR'é' == b'é'",
    "r'\\' == '\\\\' && 'a\\r' != r'a\\r'",
    "'''a\r\nb\rc''' == 'a\\nb\\nc' && r'''\r''' == '\\n'",
    ".5 == 0.5 && -.5e1 == -5.0 && 1.0 - .5 == 0.5",
    "dyn(.self) == self && [self].all(self, .self) && .size([1]) == 1 && type(1) == .int",
    "[?optional.of(1), 2, ?optional.none()] == [1, 2] && [?{'a': 1}.?a,] == [1]",
    "{?'a': optional.of(1), 'b': 2, ?'c': optional.none()} == {'a': 1, 'b': 2}",
    "[,] == [] && {,} == {} && [1,] == [1] && {1: 2,} == {1: 2}",
    "1\f== 1",
    "!!-1 == -1 && --true && 1 < 2 == true",
    "[1].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue()",
    "optional.unwrap([optional.of(1), optional.none()]) == [1] && [optional.of(1)].unwrapOpt() == [1]",
    "optional.of(1).orValue(1 / 0) == 1 && optional.of(1).or(optional.of(1 / 0)).value() == 1",
  ])("it is true: %s", (text) => {
    expect(outcomeOf(text)).toBe(true);
  });

  it.each([
    ["0XF == 15", "ERROR: <input>:1:2: Syntax error: mismatched input 'XF' expecting <EOF>"],
    ["-(9223372036854775808)", "ERROR: <input>:1:3: invalid int literal"],
    ["18446744073709551616u", "ERROR: <input>:1:1: invalid uint literal"],
    ["1e400", "ERROR: <input>:1:1: invalid double literal"],
    ["size([1],)", "ERROR: <input>:1:10: Syntax error: mismatched input ')' expecting an expression"],
    ["[1,,]", "ERROR: <input>:1:4: Syntax error: mismatched input ',' expecting ']'"],
    ["[,1]", "ERROR: <input>:1:3: Syntax error: mismatched input '1' expecting ']'"],
    ["r'\\''", "ERROR: <input>:1:5: Syntax error: token recognition error at: '''"],
    ["'a\n' == 'b'", "ERROR: <input>:1:1: Syntax error: token recognition error at: ''a"],
    ["'a", "ERROR: <input>:1:1: Syntax error: token recognition error at: ''a'"],
    ["true ? true ? 1 : 2 : 3", "ERROR: <input>:1:13: Syntax error: mismatched input '?' expecting ':'"],
    ["true == 1 < 2", "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(bool, int)'"],
    ["[1].all(__result__, true)", "ERROR: <input>:1:9: iteration variable overwrites accumulator variable"],
    ["[1].all(.x, x > 0)", "ERROR: <input>:1:13: undeclared reference to 'x' (in container '')"],
    ["[?1]", "ERROR: <input>:1:3: expected type 'optional_type(int)' but found 'int'"],
    ["{?'k': 1}", "ERROR: <input>:1:8: expected type 'optional_type(int)' but found 'int'"],
    ["[1, ?optional.of('a')]", "ERROR: <input>:1:17: expected type 'int' but found 'string'"],
    ["[?self]", "cannot initialize optional element from non-optional value"],
    [".has(self.x)", "ERROR: <input>:1:5: undeclared reference to 'has' (in container '')"],
    ["b'\\u0041'", "ERROR: <input>:1:1: unable to unescape string"],
    ["'\\400'", "ERROR: <input>:1:1: unable to unescape string"],
    ["'\\ud800'", "ERROR: <input>:1:1: invalid unicode code point"],
    ["if", "ERROR: <input>:1:1: reserved identifier: if"],
    ["1 +", "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting an expression"],
  ])("refuses %s", (text, why) => {
    expect(outcomeOf(text)).toBe(why);
  });
});
