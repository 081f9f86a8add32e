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
