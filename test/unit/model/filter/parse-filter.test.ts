import { describe, expect, it } from "vitest";
import { longestFilter, parseFilter } from "../../../../src/model/filter/parse-filter.ts";

describe("parseFilter", () => {
  it("reads fields, labels, lists and order, each with its place", () => {
    const text = "env=prod state!=Ready region in (eu, us) version<1.33";
    const { terms, problems } = parseFilter(text);
    expect(problems).toEqual([]);
    expect(terms.map(({ start, end }) => text.slice(start, end))).toEqual([
      "env=prod",
      "state!=Ready",
      "region in (eu, us)",
      "version<1.33",
    ]);
    expect(terms.map(({ test }) => test)).toEqual([
      { kind: "among", key: { kind: "label", name: "env" }, values: ["prod"], isNegated: false },
      { kind: "among", key: { kind: "field", name: "state" }, values: ["Ready"], isNegated: true },
      { kind: "among", key: { kind: "label", name: "region" }, values: ["eu", "us"], isNegated: false },
      { kind: "order", key: { kind: "field", name: "version" }, operator: "<", value: "1.33" },
    ]);
  });

  it.each([
    {
      text: "env=",
      part: "env=",
      message: '"env=" has no value.',
      remedy: 'Write env=value, or env="" for an empty one.',
    },
    { text: "env= state=Ready", part: "env=", message: '"env=" has no value.' },
    { text: "=prod", part: "=", message: '"=" has nothing to compare.' },
    { text: "a ! b", part: "!", message: '"!" has nothing to compare.', remedy: "Write !word." },
    { text: 'name="x', part: 'name="x', message: "The closing quote is missing.", remedy: 'Add " at its end.' },
    { text: "region in (eu", part: "region in (eu", message: "The list has no end.", remedy: 'Add ")".' },
    { text: "region in ()", part: "region in ()", message: "The list is empty.", remedy: "Write region in (a, b)." },
    { text: "region in (a=b)", part: "region in (a=", message: '"=" is no value of a list.' },
    { text: "(eu)", part: "(", message: '"(" is not part of a list.' },
    { text: "state=Redy", part: "state=Redy", message: '"Redy" is no state.', remedy: "Did you mean Ready?" },
    {
      ...{ text: "state=purple", part: "state=purple", message: '"purple" is no state.' },
      remedy:
        "It is one of Declared, Revoked, Rejected, Joining, AwaitingReport, Ready, Unhealthy, Unresponsive, Moving, Leaving, Suspended, NotReady, Unknown.",
    },
    { text: "name<x", part: "name<x", message: '"<" cannot order name.', remedy: "Use =, != or in (...) with name." },
    { text: "version<new", part: "version<new", message: '"new" cannot be ordered.', remedy: "Write version<1.33." },
    { text: "age>old", part: "age>old", message: '"old" cannot be ordered.', remedy: "Write age>2h or 8d." },
  ])("reports what is wrong with `$text`, where, and what to type", ({ text, part, message, remedy }) => {
    const [problem] = parseFilter(text).problems;
    expect(problem).toMatchObject({ message, ...(remedy === undefined ? {} : { remedy }) });
    expect(text.slice(problem?.start, problem?.end)).toBe(part);
  });

  it("keeps the terms beside a part that is not understood", () => {
    const { terms, problems } = parseFilter("env=prod version<new team=stores");
    expect([terms.length, problems.length]).toEqual([2, 1]);
  });

  it("refuses a text without end, and reads the longest one with a step for each character", () => {
    expect(parseFilter("a".repeat(longestFilter + 1))).toMatchObject({ terms: [], problems: [{ start: 0 }] });
    for (const part of ['"', "(", "a in ", "!", "=", "a in (", "\\", "a=", " "]) {
      const text = part.repeat(longestFilter / part.length);
      const { terms, problems } = parseFilter(text);
      expect(terms.length + problems.length).toBeLessThanOrEqual(text.length);
    }
  });
});
