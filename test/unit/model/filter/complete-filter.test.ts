import { describe, expect, it } from "vitest";
import { completeFilter } from "../../../../src/model/filter/complete-filter.ts";
import { filterRows } from "./example-rows.ts";

/** `|` is the caret. */
function complete(marked: string): { readonly replaced: string; readonly items: string[] } {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const { start, end, items } = completeFilter(text, caret, filterRows);
  return { replaced: text.slice(start, end), items: items.map(({ insert, count }) => `${insert} ${count}`) };
}

describe("completeFilter", () => {
  it.each([
    { marked: "re|", replaced: "re", items: ["reason= 3", "region= 2"] },
    { marked: "env=prod stat|", replaced: "stat", items: ["state= 3", "label:state= 1"] },
    { marked: "env=|", replaced: "", items: ["dev 1", "prod 2"] },
    { marked: "env=p|rod", replaced: "prod", items: ["prod 2"] },
    { marked: "region in (eu, |", replaced: "", items: ["eu 1", "eu-north 1"] },
    { marked: "region in (eu) ag|", replaced: "ag", items: ["agent= 3", "age> 3"] },
    { marked: "empty=|", replaced: "", items: ['"" 1'] },
    { marked: "group!=o|", replaced: "o", items: ["old 1", "europe 1"] },
    { marked: "age>|", replaced: "", items: [] },
    { marked: "nothing-like-it|", replaced: "nothing-like-it", items: [] },
  ])("offers $items for `$marked`", ({ marked, replaced, items }) => {
    expect(complete(marked)).toEqual({ replaced, items });
  });

  it("offers the fields and the labels where a term begins", () => {
    expect(complete("|").items.slice(0, 3)).toEqual(["state= 3", "reason= 3", "workspace= 3"]);
  });
});
