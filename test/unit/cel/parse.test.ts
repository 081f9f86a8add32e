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
  const parserLimit = (column: number): string => `ERROR: <input>:1:${column}: Syntax error: Exceeded maxDepth (250)`;
  const tooDeep = "ERROR: <input>:1:1: expression recursion limit exceeded: 250";

  it.each([
    ["a sum of 200 parts", `${"1 + ".repeat(200)}1 == 201`, true],
    ["a sum of 12,000 parts", `${"1 + ".repeat(12_000)}1 > 0`, tooDeep],
    ["300 fields within one another", `self${".a".repeat(300)} == 1`, parserLimit(503)],
    ["300 methods one after the other", `self${".map(x, x)".repeat(300)} == 1`, parserLimit(2490)],
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

  it.each(["-", "!", "- ", "!-"])("refuses an expression of thousands of %j before a value", (sign) => {
    expect(outcomeOf(`${sign.repeat(30_000)}1`)).toContain("expression recursion limit exceeded: 250");
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
