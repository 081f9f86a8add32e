import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";
import type { CelOutcome } from "../../../src/cel/cel.ts";
import type { CelValue } from "../../../src/cel/cel-value.ts";
import { dyn } from "../../../src/cel/cel-type.ts";
import { celOfJson } from "../../../src/cel/json-values.ts";
import { faultOfPattern } from "../../../src/core/formats/patterns.ts";
import { readSopsMetadata } from "../../../src/secrets/sops-metadata.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";

const self = celOfJson({
  text: "a".repeat(100_000),
  wide: "中".repeat(100_000),
  list: Array.from({ length: 100_000 }, () => "a"),
  pattern: `(?i)${"[a-\\x{10ffff}]".repeat(50)}`,
});

describe("a rule of a definition", () => {
  it.each([
    ["replaces each character by a long text", "self.text.replace('a', self.text).size() > 0"],
    ["replaces nothing by a long text", "self.text.replace('', self.text).size() > 0"],
    ["replaces many times by a long text", "self.text.replace('a', self.text, 90000).size() > 0"],
    ["joins a long list by a long text", "self.list.join(self.text).size() > 0"],
    ["counts a long text for each item", "self.list.all(a, self.text.size() > 0)"],
    ["copies a long list for each item", "self.list.all(a, (self.list + self.list).size() > 0)"],
    ["searches a long text for many of its parts", "self.list.all(a, self.text.contains(self.text))"],
  ])("A61 is stopped before it %s", (_what, text) => {
    // Half a microsecond for each of a million units.
    expect(fullCostMs(text, self, { enoughMs: 500 })).toBeLessThan(500);
  });
});

/** CPU (ms) of an evaluation with all that a rule may spend, a million units. */
function fullCostMs(text: string, value: CelValue, { units = 1_000_000, enoughMs = 0 } = {}): number {
  const program = compileCel(text, { variables: { self: dyn } });
  if (program.kind !== "program") throw new Error(program.message);
  let outcome: CelOutcome | undefined;
  const ms = leastCpuMs(() => (outcome = program.run({ self: value }, units)), enoughMs);
  expect(outcome).toMatchObject({ kind: "failure", isOverBudget: true });
  return ms;
}

/** Twice as much to compare with each step: `[v, v]`, and a list of such lists. */
function doubled(steps: number): string {
  return `[self]${".map(v, [v, v])".repeat(steps)}`;
}

describe("values within values", () => {
  it.each([
    ["compared with themselves", `${doubled(24)}.all(v, v == v)`],
    ["compared as lists", `${doubled(24)} != ${doubled(24)}`],
    ["searched in a list", `${doubled(24)}.all(v, v in [v])`],
    ["searched in a set", `${doubled(24)}.all(v, sets.contains([v], [v]))`],
    ["found by their index", `${doubled(24)}.all(v, [v].indexOf(v) == 0)`],
    ["made to keys of a map", `${doubled(24)}.all(v, {v: 1}.size() == 1)`],
    ["looked up in a map", `${doubled(24)}.all(v, {dyn([1]): 1}[dyn(v)] == 1)`],
    ["searched for among the keys of a map", `${doubled(24)}.all(v, dyn(v) in {dyn([1]): 1})`],
    ["made to keys of entries", `${doubled(24)}.transformMapEntry(i, v, {v: 1}).size() == 1`],
  ])("A61 are charged as deep as they are when they are %s", (_what, text) => {
    expect(fullCostMs(text, 1n, { units: 100_000, enoughMs: 200 })).toBeLessThan(200);
  });
});

describe("bytes as a key", () => {
  it.each([
    ["of a map that is made", "{dyn(b): 1}.size() == 1"],
    ["that is looked up", "!{'a': 1}[?dyn(b)].hasValue()"],
    ["that is searched for", "!(dyn(b) in {'a': 1})"],
  ])("A212 are charged by their length: %s", (_what, text) => {
    const ms = fullCostMs(`[bytes(self.wide)].all(b, self.list.all(a, ${text}))`, self, {
      units: 100_000,
      enoughMs: 200,
    });
    expect(ms).toBeLessThan(200);
  });
});

it("A61 values within values are charged when they are added to a list that is a set", () => {
  const items = [celOfJson("a")];
  const set: CelValue = { kind: "list", size: 1, at: (index) => items[index] ?? null, identity: { type: "set" } };
  const text = `(self + ${doubled(24)}).size() > 0`;
  expect(fullCostMs(text, set, { units: 100_000, enoughMs: 200 })).toBeLessThan(200);
});

describe("an error in each turn of a comprehension", () => {
  const small = celOfJson({
    list: Array.from({ length: 1000 }, (_, index) => `item-${index}`),
    map: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key-${index}`, index])),
    text: "a".repeat(16_000),
    digits: "9".repeat(16_000),
  });
  let withoutErrorMs: number | undefined;
  const inEachTurn = (body: string): string => `self.list.all(a, self.list.all(b, ${body}))`;

  it.each([
    ["a division by zero", "1 / (self.list.size() - 1000) == 1"],
    ["an operand of another type", "a"],
    ["an index out of bounds", "self.list[1000] == a"],
    ["a long text that is no key", "self.map[self.text] == 1"],
    ["a list that is no key", "self.map[self.list] == 1"],
    ["a field that is not there", "self.map.none == 1"],
    ["a text that is no number", "int(self.text) == 1"],
    ["a number of many digits", "int(self.digits) == 1"],
    ["a version of many digits", "semver(self.digits + '.0.0') == a"],
    ["both sides of a condition", "a == b || b.z && a.y"],
    ["a loop that ends in its first turn", "self.map.all(c, false) || b.z"],
  ])("A61 costs no more time than another turn that costs as much: %s", (_what, body) => {
    withoutErrorMs ??= fullCostMs(inEachTurn("a != '' && b != ''"), small);
    // With a stack and a text for each error it was 40 to 300 times as much.
    const mostMs = 20 * Math.max(20, withoutErrorMs);
    expect(fullCostMs(inEachTurn(body), small, { enoughMs: mostMs })).toBeLessThan(mostMs);
  });
});

describe("a pattern that ignores case", () => {
  const pattern = `(?i)${"[a-\\x{10ffff}]".repeat(50)}`;

  it("A61 is refused where it ranges over all characters again and again", () => {
    expect(faultOfPattern(pattern)).toBe("error parsing regexp: expression too large");
    expect(faultOfPattern("(?i)[a-zé]+\\pL")).toBeUndefined();
    const sops = { mac: "x", lastmodified: "2026-01-01T00:00:00Z", encrypted_regex: pattern };
    expect(() => readSopsMetadata(sops)).toThrow("has a pattern that is too large");
  });
});
