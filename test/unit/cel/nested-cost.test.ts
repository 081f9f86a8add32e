import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";
import { dyn } from "../../../src/cel/cel-type.ts";
import type { CelList, CelValue } from "../../../src/cel/cel-value.ts";
import { celList } from "../../../src/cel/cel-value.ts";
import { celOfJson } from "../../../src/cel/json-values.ts";

const object: CelValue = { kind: "object", typeName: "T", fields: ["a"], get: () => celList([1n]) };
const other: CelValue = { ...object, typeName: "U" };
const nested = celOfJson([[1], [2, 3]]);
const set: CelList = { ...celList([celList([1n]), celList([2n])]), identity: { type: "set" } };
const variables = { self: nested, set, object, other, map: celOfJson({ a: [1], b: { c: 1 } }), pattern: "a+b" };
const types = Object.fromEntries(Object.keys(variables).map((name) => [name, dyn]));

function costOf(text: string): number {
  const program = compileCel(text, { variables: types });
  if (program.kind !== "program") throw new Error(program.message);
  const outcome = program.run(variables, 100_000);
  if (outcome.kind !== "value") throw new Error(outcome.message);
  return outcome.cost;
}

describe("what is within values that are compared", () => {
  // Half a unit for each collection and for each of its items, besides what cel-go takes.
  it.each([
    ["self == self", 4 + 0.5 * (2 + 3)],
    ["self != self", 4 + 0.5 * (2 + 3)],
    ["map == map", 4 + 0.5 * (2 + 2)],
    ["object == object", 3 + 0.5 * 2],
    ["object == other", 3 + 0.5 * 2],
    ["self == [[1], [2], [3]]", 44 - 1],
    ["[optional.of([1])] == [optional.of([1])]", 10 + 1 + 10 + 10 + 1 + 10 + 1 + 0.5 * (1 + 2)],
    ["self == 1", 3 - 1],
    ["self[0] in self", 1 + 2 + 2 + 0.5 * (2 + 3)],
    ["sets.contains(self, self)", 2 + 5 + 2 * 0.5 * (2 + 3)],
    ["self.indexOf(self[0])", 1 + 2 + 2 + 0.5 * (2 + 3)],
    ["{1: 1} == {1: 1}", 30 + 30 + 1],
  ])("%s costs %d", (text, cost) => {
    expect(costOf(text)).toBe(cost);
  });

  it.each([
    ["{dyn([1, 2]): 1}", 30 + 1 + 10 + 0.5 * 3],
    ["{dyn([[1], [2]]): 1}", 30 + 1 + 30 + 0.5 * (3 + 2 + 2)],
    ["{dyn({1: 2}): 1}", 30 + 1 + 30 + 0.5 * 2],
    ["{dyn(object): 1}", 30 + 2 + 0.5 * (2 + 2)],
    ["dyn([1]) in map", 10 + 1 + 1 + 1 + 0.5 * 2],
    ["set + [3]", 1 + 10 + 2 + 0.5 * (3 + 2 + 2) + 0.5 * 2],
    ["self + [[3]]", 1 + 20 + 2],
  ])("a text of it costs more where one is made: %s costs %d", (text, cost) => {
    expect(costOf(text)).toBe(cost);
  });

  it.each([
    ["1", 0],
    ["'abc'", 3 * 0.3 - 1],
    ["b'abc'", 3 * 0.3 - 1],
    ["1.5", 50 - 2],
    ["self", 1 + 2 * (3 + 2 + 3 + 3) - 2],
    ["map", 1 + 2 * (3 + 2 + 2 + 2) + 3 * 1.3 - 2],
  ])("a text of a value costs as much as there is to write: %s costs %d more than a digit", (value, cost) => {
    expect(costOf(`'%s'.format([${value}])`) - costOf("'%s'.format([1])")).toBeCloseTo(cost, 6);
  });

  it.each(["[x, x]", "{'a': x, 'b': x}"])(
    "A215 a text is not written that grows with each step of a chain: %s",
    (step) => {
      const program = compileCel(`'%s'.format([1]${`.map(x, ${step})`.repeat(16)}) != ''`, { variables: {} });
      const outcome = program.kind === "program" ? program.run({}, 50_000) : undefined;
      expect(outcome).toMatchObject({ kind: "failure", isOverBudget: true });
    },
  );

  it("a pattern is compiled once in an evaluation", () => {
    const once = costOf("'ab'.matches(pattern)");
    const other = costOf("'ab'.matches('a+b+')");
    const twice = costOf("'ab'.matches(pattern) && 'ab'.matches(pattern)");
    const two = costOf("'ab'.matches(pattern) && 'ab'.matches('a+b+')");
    expect(two).toBe(once + other);
    expect(twice).toBeLessThan(2 * once);
  });
});
