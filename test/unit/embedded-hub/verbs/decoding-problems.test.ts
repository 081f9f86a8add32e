import { describe, expect, it } from "vitest";
import { decodingProblems } from "../../../../src/embedded-hub/verbs/decoding-problems.ts";

const many = Array.from({ length: 120 }, (_, index) => `f${index}`);
const unknownOf = (fields: readonly string[]) => fields.map((field) => `unknown field "${field}"`);
const twice = (...fields: readonly string[]) => fields.map((field) => `duplicate field "${field}"`);

describe("decodingProblems of a body whose text is known", () => {
  const cases = [
    {
      name: "in the order of the text",
      known: twice("c", "a"),
      at: [30, 10],
      unknown: ["d", "b"],
      all: ["a", "b", "c", "d"],
    },
    {
      name: "not inside of a field that is unknown",
      known: twice("b.x", "b[0]", "b", "bc"),
      at: [1, 2, 3, 40],
      unknown: ["b"],
      all: ["b", "bc"],
    },
    { name: "duplicates alone", known: twice("c", "a"), at: [30, 10], unknown: [], all: ["c", "a"] },
    { name: "at most a hundred", known: twice("a"), at: [0], unknown: many, all: ["a", ...many.slice(0, 99)] },
    { name: "at most a hundred duplicates", known: twice(...many), at: [], unknown: [], all: many.slice(0, 100) },
  ];
  it.each(cases)("names them $name", ({ known, at, unknown, all }) => {
    const places = {
      ofProblems: at,
      ofField: (path: string) => (path.startsWith("f") ? Number(path.slice(1)) + 1 : 10 * (path.charCodeAt(0) - 96)),
    };
    const found = decodingProblems({ decodingProblems: known, problemPlaces: places }, unknown);
    expect(found.map((text) => /"(?<field>.*)"/u.exec(text)?.groups?.["field"])).toEqual(all);
    // Of a custom kind the duplicates come first, and all of them.
    const custom = decodingProblems(
      { decodingProblems: known, problemPlaces: places },
      ...([unknown, { isCustom: true, isWhole: true }] as const),
    );
    expect(custom).toEqual([...known, ...unknownOf(unknown)]);
  });
});

it("decodingProblems of other bodies are the duplicates, then a hundred unknown fields, or all that a patch made", () => {
  expect(decodingProblems({ decodingProblems: ["d"] }, many)).toEqual(["d", ...unknownOf(many.slice(0, 100))]);
  expect(decodingProblems({}, many, { isWhole: true })).toEqual(unknownOf(many));
  expect(decodingProblems({}, [])).toEqual([]);
});
