import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";
import { dyn } from "../../../src/cel/cel-type.ts";
import { celOfJson } from "../../../src/cel/json-values.ts";

const self = celOfJson({ text: "a".repeat(95), list: [1, 2, 3], map: { a: 1, b: 2 } });

function run(text: string, maximumCost: number) {
  const program = compileCel(text, { variables: { self: dyn } });
  if (program.kind !== "program") throw new Error(program.message);
  return program.run({ self }, maximumCost);
}

describe("the cost of an evaluation", () => {
  // Source: cel-go 0.26, common/cost.go: 1 for a name, a field or a call, 10 for a list, 30 for a map, a tenth of a
  // unit for each character that is read.
  it.each([
    ["true", 0],
    ["self", 1],
    ["self.text", 2],
    ["self.list[0]", 3],
    ["has(self.text)", 1],
    ["[1, 2]", 10],
    ["{1: 2}", 30],
    ["1 + 2", 1],
    ["self.text.contains('b')", 12],
    ["self.text.contains('bbbbbbbbbbb')", 22],
    ["self.text.startsWith('bbbbbbbbbbb')", 4],
    ["self.text.endsWith('bbbbbbbbbbb')", 4],
    ["self.text + self.text", 23],
    ["self.text < self.text", 14],
    ["self.text == self.text", 14],
    ["'a' == 'b'", 1],
    ["false && self.text == ''", 0],
    ["true || self.text == ''", 0],
    ["true ? 1 : self.list[0]", 0],
    ["false ? 1 : self.list[0]", 3],
    ["self.list.all(x, true)", 11],
    ["self.list.all(x, false)", 5],
    ["self.list.exists(x, true)", 5],
    ["self.list.exists_one(x, true)", 11],
    ["self.list.map(x, x)", 41],
    ["self.list.filter(x, true)", 38],
    ["self.map.transformMap(k, v, v)", 28],
    ["sets.contains([1, 2, 3], [1, 2])", 27],
    ["[1, 2, 3].isSorted()", 13],
    ["['aaaa', 'b'].isSorted()", 12],
    ["3 in [1, 2, 3]", 13],
    ["'a' in {'a': 1}", 31],
    ["self.text.size()", 3],
    ["(self.text + self.text).size()", 25],
    ["self.text < 'a'", 3],
    ["self.list == [1]", 13],
    ["self.map == {'a': 1}", 33],
    ["[1] + [2, 3]", 22],
    ["[self.text, self.text].isSorted()", 18],
    ["[[1], [2]].indexOf([2])", 44],
  ])("%s costs %d", (text, cost) => {
    expect(run(text, 1000)).toMatchObject({ kind: "value", cost });
  });

  it.each(["self.list.map(x, x)", "self.text.contains('bbbbbbbbbbb')", "[1, 2, 3].isSorted()"])(
    "%s may cost exactly as much as is allowed",
    (text) => {
      const { cost } = run(text, 1000);
      expect(run(text, cost)).toMatchObject({ kind: "value", cost });
      expect(run(text, cost - 1)).toMatchObject({ kind: "failure", isOverBudget: true, cost: cost - 1 });
    },
  );

  it.each(["%s || true", "true || %s", "[1].exists(x, %s)", "false && %s"])(
    "no other operand hides that it costs too much: %s",
    (template) => {
      const text = template.replace("%s", "self.list.map(x, x).size() == 3");
      const isReached = !/^(?:true \|\||false &&)/u.test(text);
      expect(run(text, 15)).toMatchObject(isReached ? { kind: "failure", isOverBudget: true } : { kind: "value" });
    },
  );
});
