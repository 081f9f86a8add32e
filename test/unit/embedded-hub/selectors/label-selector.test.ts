import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../../src/core/json.ts";
import { parseLabelSelector } from "../../../../src/embedded-hub/selectors/label-selector.ts";

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
