import { compileCel } from "../../src/cel/cel.ts";
import type { CelType } from "../../src/cel/cel-type.ts";
import { dyn } from "../../src/cel/cel-type.ts";
import type { CelValue } from "../../src/cel/cel-value.ts";

/** What an expression gives: its value, or the first line of why it has none. Variables are of unknown type. */
export function celOutcome(text: string, values: Readonly<Record<string, CelValue>> = {}): unknown {
  const variables: Record<string, CelType> = Object.fromEntries(Object.keys(values).map((name) => [name, dyn]));
  const program = compileCel(text, { variables });
  if (program.kind === "refused") return program.message.split("\n")[0];
  const outcome = program.run(values, 1_000_000);
  return outcome.kind === "value" ? outcome.value : outcome.message;
}
