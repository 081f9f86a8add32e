import { describe, expect, it } from "vitest";
import { createMatcher } from "../../../../src/model/filter/match-filter.ts";
import { parseFilter } from "../../../../src/model/filter/parse-filter.ts";
import { filterNowMs, filterRows } from "./example-rows.ts";

describe("createMatcher", () => {
  it.each([
    { text: "", names: ["eu-2", "eu-10", "us-1"] },
    { text: "eu", names: ["eu-2", "eu-10"] },
    { text: "FRANK", names: ["eu-10"] },
    { text: '"(main)"', names: ["eu-10"] },
    { text: "other/us", names: ["us-1"] },
    { text: "!eu", names: ["us-1"] },
    { text: "env=prod", names: ["eu-2", "us-1"] },
    { text: "env == prod eu", names: ["eu-2"] },
    { text: "env=prod,region=eu", names: ["eu-2"] },
    { text: "env=PROD", names: [] },
    { text: "region!=eu", names: ["eu-10", "us-1"] },
    { text: "region in (eu, us)", names: ["eu-2"] },
    { text: "region notin (eu, us)", names: ["eu-10", "us-1"] },
    { text: "region=eu*", names: ["eu-2", "eu-10"] },
    { text: 'empty=""', names: ["us-1"] },
    { text: "state=ready", names: ["eu-2", "eu-10"] },
    { text: "state!=Ready", names: ["us-1"] },
    { text: "label:state=hot", names: ["eu-10"] },
    { text: "reason=heartbeatmissed", names: ["us-1"] },
    { text: "group=old", names: ["eu-2"] },
    { text: "group!=old", names: ["eu-10", "us-1"] },
    { text: "workspace=other", names: ["us-1"] },
    { text: "protocol=fleet", names: ["us-1"] },
    { text: "version<1.33", names: ["eu-2"] },
    { text: "version<=1.33", names: ["eu-2", "eu-10"] },
    { text: "version>1.33", names: [] },
    { text: "version=1.33", names: ["eu-10"] },
    { text: "version=v1.33", names: [] },
    { text: "version=v1.33.7+k3s1", names: ["eu-10"] },
    { text: "agent<1", names: ["eu-10"] },
    { text: "nodes>=12", names: ["eu-10"] },
    { text: "slots>2", names: ["eu-2"] },
    { text: "age>8d", names: ["eu-10"] },
    { text: "age<=60s", names: ["eu-2"] },
    { text: "constructor=x", names: [] },
  ])("gives $names for `$text`", ({ text, names }) => {
    const parsed = parseFilter(text);
    const matches = createMatcher(parsed);
    expect(parsed.problems).toEqual([]);
    expect(filterRows.filter((row) => matches(row, filterNowMs)).map(({ name }) => name)).toEqual(names);
  });
});
