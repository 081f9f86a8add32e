import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../../src/core/json.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { Labels } from "../../../../src/embedded-hub/selectors/label-selector.ts";
import { parseLabelSelector } from "../../../../src/embedded-hub/selectors/label-selector.ts";

/** What kube-apiserver 1.34.4 answered to lists of labelled objects: the names that a selector selects, or why it is refused. */
interface Recorded {
  readonly objects: Readonly<Record<string, Labels>>;
  readonly selectors: readonly (readonly [text: string, outcome: readonly string[] | string])[];
}

const file = new URL("golden/label-selectors.json", import.meta.url);
const { objects, selectors } = JSON.parse(readFileSync(file, "utf8")) as Recorded;

function outcomeOf(text: string): readonly string[] | string {
  try {
    const { matches } = parseLabelSelector(text);
    return Object.keys(objects)
      .filter((name) => matches(objects[name]))
      .sort();
  } catch (error) {
    if (!isApiFailure(error, "BadRequest")) throw error;
    return error.message;
  }
}

describe("a label selector", () => {
  it.each(selectors)("that was recorded has the same outcome: %j", (text, outcome) => {
    expect(outcomeOf(text)).toEqual(outcome);
  });

  it("selects by absence what has no labels, and takes no inherited property for a label", () => {
    const { matches } = parseLabelSelector("!constructor");
    expect([matches(undefined), matches({}), matches({ constructor: "" })]).toEqual([true, true, false]);
  });

  it("compares with whole numbers of 64 bits only", () => {
    const { matches } = parseLabelSelector("a>9223372036854775806");
    expect([matches({ a: "9223372036854775807" }), matches({ a: "9223372036854775808" })]).toEqual([true, false]);
    expect(() => parseLabelSelector("a>9999999999999999999")).toThrow("the value must be an integer");
  });

  it("has at most 65,536 characters", () => {
    const longest = `a in (${"x,".repeat(32_764)}y)`;
    expect(longest).toHaveLength(65_536);
    expect(parseLabelSelector(longest).matches({ a: "y" })).toBe(true);
    expect(() => parseLabelSelector(`${longest} `)).toThrow("a selector has more than 65536 characters");
  });
});

const key = fc.constantFrom("env", "site", "example.org/env", "a.b-c_d");
const value = fc.constantFrom("", "prod", "7", "10", "a.b-c_d", "Prod");
const term = fc.oneof(
  fc.tuple(key, fc.constantFrom("=", "==", "!="), value).map((parts) => parts.join("")),
  fc
    .tuple(key, fc.constantFrom(" in ", " notin "), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([name, operator, values]) => `${name}${operator}(${values.join(",")})`),
  fc.tuple(key, fc.constantFrom(">", "<"), fc.constantFrom("7", "9")).map((parts) => parts.join("")),
  key,
  key.map((name) => `!${name}`),
);

describe("the texts of a label selector", () => {
  it("are in the JSON of every object whose labels match", () => {
    const labels = fc.dictionary(key, value);
    fc.assert(
      fc.property(fc.array(term, { maxLength: 3 }), labels, (terms, given) => {
        const { matches, texts } = parseLabelSelector(terms.join(","));
        const json = stringifyJson({ metadata: { name: "a", labels: given } });
        expect(!matches(given) || texts.every((text) => json.includes(text))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["env=prod,site", ['env":"prod"', 'site":']],
    ["env in (prod)", ['env":"prod"']],
    ["env in (prod,test),site>3", ['env":', 'site":']],
    ["!env,site!=paris,zone notin (a)", []],
  ])("of %s are %j", (text, texts) => {
    expect(parseLabelSelector(text).texts).toEqual(texts);
  });
});
