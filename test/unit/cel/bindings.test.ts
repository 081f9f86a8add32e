import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";

function outcomeOf(text: string, hasBindings = true): unknown {
  const program = compileCel(text, { variables: {}, hasBindings });
  if (program.kind === "refused") return program.message.split("\n")[0];
  const outcome = program.run({}, 100_000);
  return outcome.kind === "value" ? outcome.value : outcome.message;
}

describe("cel.bind(name, value, body)", () => {
  it.each([
    "cel.bind(x, 2, x + x) == 4",
    "1 + cel.bind(x, 2, x) == 3",
    "cel.bind(x, 1, cel.bind(y, x + 1, x + y)) == 3",
    "cel.bind(x, cel.bind(y, 1, y), x) == 1",
    "cel.bind(x, {'a': 1}, x.a) == 1",
    "{'a': cel.bind(x, 1, x)}.a == 1",
    "{cel.bind(x, 1, x): 2}[1] == 2",
    "has(cel.bind(x, {'a': 1}, x).a)",
    "[cel.bind(x, 1, x)][cel.bind(x, 0, x)] == 1",
    "cel.bind(x, true, x) && cel.bind(x, true, x)",
    "false || cel.bind(x, true, x)",
    "cel.bind(x, true, x) ? cel.bind(y, true, y) : false",
    "false ? false : cel.bind(y, true, y)",
    "[1].all(i, cel.bind(x, i, x == 1))",
    "cel.bind(x, [1], x).all(i, i == 1)",
    "size(cel.bind(x, 'ab', x)) == 2",
    "cel.bind(x, 'ab', x).size() == 2",
  ])("is its body with the value: %s", (text) => {
    expect(outcomeOf(text)).toBe(true);
  });

  it.each([
    ["cel.bind(x, 1)", "ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')"],
    ["[1].bind(x, 1, x)", "ERROR: <input>:1:9: undeclared reference to 'bind' (in container '')"],
  ])("is no macro in another form: %s", (text, message) => {
    expect(outcomeOf(text)).toBe(message);
  });

  it("is none where Kubernetes evaluates", () => {
    expect(outcomeOf("cel.bind(x, 1, x) == 1", false)).toMatch(/undeclared reference to 'cel'/u);
  });
});
