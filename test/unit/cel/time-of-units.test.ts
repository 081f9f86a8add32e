import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";
import type { CelValue } from "../../../src/cel/cel-value.ts";
import { CelError } from "../../../src/cel/cel-value.ts";
import { dyn } from "../../../src/cel/cel-type.ts";
import { celOfJson } from "../../../src/cel/json-values.ts";
import { kubernetesLibrary } from "../../../src/cel/library.ts";
import type { Meter, Overload } from "../../../src/cel/overload.ts";
import { findOverload } from "../../../src/cel/overload.ts";
import { cpuMsOf, ofThisMachine } from "../../support/of-this-machine.ts";

const length = 40_000;
const keys = Array.from({ length: 5000 }, (_, index) => `key-${index}`);
const self = celOfJson({
  ascii: "a".repeat(length),
  wide: "中".repeat(length),
  digits: "9".repeat(length),
  hours: "1h".repeat(length / 2),
  version: `1.2.3-${"a.".repeat(length / 2)}a`,
  query: `http://a/?${"a=b&".repeat(length / 4)}`,
  path: `http://a/${"中".repeat(length)}`,
  texts: keys,
  sameTexts: [...keys],
  numbers: keys.map((_, index) => index),
  fields: Object.fromEntries(keys.map((key) => [key, key])),
  sameFields: Object.fromEntries(keys.map((key) => [key, key])),
});
const short = ["''", "'a'", "'Europe/Berlin'", "1", "50000", "1u", "1.5", "true", "null", "[]", "{}", "int"];
const long = [
  ...[
    "self.ascii",
    "self.ascii + ''",
    "self.wide",
    "self.digits",
    "self.hours",
    "self.version",
    "self.query",
    "self.path",
  ],
  ...["bytes(self.wide)", "self.texts", "self.sameTexts", "self.numbers", "self.fields", "self.sameFields"],
  ...["[self.texts]", "[self.ascii, self.ascii]", "{'a': self.texts}", "optional.of(self.texts)"],
  ...["url(self.query)", "url(self.path)", "[url(self.query)]", "semver(self.version)", "quantity('9')", "ip('::1')"],
  ...["cidr('::1/64')", "timestamp('2026-01-01T00:00:00Z')", "duration('1h')", "format.dns1123Label()"],
];
const candidates = [...short, ...long].map((text) => ({ text, value: valueOf(text) }));

function valueOf(text: string): CelValue {
  const program = compileCel(text, { variables: { self: dyn } });
  const outcome = program.kind === "program" ? program.run({ self }, Infinity) : undefined;
  if (outcome?.kind !== "value") throw new Error(`${text} has no value`);
  return outcome.value;
}

/** What a loop takes for one turn, at least. */
const unitsOfTurn = 5;
/** A unit is to take half a microsecond; here twenty times as much, for a machine that is slow or busy. */
const mostUs = 10;
const attempts = 12;
/** A call that takes more is not tried: it is slow by its price. */
const mostUnits = 300_000;

/** CPU time of a call for each unit that it takes (µs): the least of some calls, and the first that is short enough. */
function timeOfUnit(overload: Overload, values: readonly CelValue[]): number {
  let least = Infinity;
  for (let attempt = 0; attempt < attempts && least > mostUs; attempt++) {
    let units = unitsOfTurn;
    const ms = cpuMsOf(() => (units += call(overload, values)));
    least = Math.min(least, (ms * 1000) / units);
  }
  return least;
}

/** The units that were charged. */
function call(overload: Overload, values: readonly CelValue[]): number {
  const seen = new Set<string>();
  let units = 0;
  const meter: Meter = { take: (more) => (units += more), isFirst: (text) => seen.size !== seen.add(text).size };
  try {
    const cost = overload.cost?.(values, meter) ?? 1;
    units += cost;
    if (units < mostUnits) overload.run(...values);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
  }
  return units;
}

function combinations(count: number): (readonly (typeof candidates)[number][])[] {
  if (count === 0) return [[]];
  const rest = combinations(count - 1);
  // Of three operands the last one is a number, a limit or an index.
  const last = count > 2 ? candidates.slice(0, short.length) : candidates;
  return rest.flatMap((before) => last.map((one) => [...before, one]));
}

/** Evaluated in place, and charged there: see cost.test.ts. */
const indexes = new Set(["_[_]", "_[?_]"]);
const functions = [...kubernetesLibrary].filter(([name]) => !indexes.has(name));

describe("a unit takes no more time than it counts for", () => {
  it.each(functions)("A212 whatever long values are given to %s", (_name, overloads) => {
    const slow: string[] = [];
    for (const count of new Set(overloads.map(({ parameters }) => parameters.length))) {
      for (const operands of combinations(count)) {
        const values = operands.map(({ value }) => value);
        const overload = findOverload(overloads, values);
        if (overload === undefined) continue;
        const us = timeOfUnit(overload, values);
        if (us > mostUs && us > ofThisMachine(mostUs))
          slow.push(`${Math.round(us)} µs: ${operands.map(({ text }) => text).join(", ")}`);
      }
    }
    expect(slow).toStrictEqual([]);
  });
});
