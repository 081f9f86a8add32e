import { describe, expect, it } from "vitest";
import { readKey } from "../../../../src/model/filter/filter.ts";
import { gridClasses, groupRows } from "../../../../src/web/dashboard/browser/data/fleet-grid.ts";
import type { GridColour } from "../../../../src/web/dashboard/browser/data/fleet-grid.ts";
import { createMatcher } from "../../../../src/model/filter/match-filter.ts";
import { parseFilter } from "../../../../src/model/filter/parse-filter.ts";
import { filterNowMs, filterRow, filterRows } from "../../model/filter/example-rows.ts";

const heartbeatAgeMs = ({ name }: { readonly name: string }): number | undefined =>
  name === "us-1" ? undefined : name === "eu-2" ? 20_000 : 700_000;

describe("gridClasses", () => {
  it.each<{ colour: GridColour; classes: string[] }>([
    { colour: "state", classes: ["Unknown 1", "Ready 2"] },
    { colour: "version", classes: ["v1.33 1", "v1.9 1", "not known 1"] },
    { colour: "agent", classes: ["1.0.0 1", "0.9.3 1", "not known 1"] },
    { colour: "heartbeat", classes: ["under 2 minutes 1", "10 to 60 minutes 1", "not known 1"] },
    { colour: "age", classes: ["under an hour 1", "over a week 1", "not known 1"] },
  ])("divides by $colour into $classes, each with a mark and a colour of its own", ({ colour, classes }) => {
    const found = gridClasses(filterRows, { colour, nowMs: filterNowMs, heartbeatAgeMs });
    expect(found.classes.map(({ title, count }) => `${title} ${count}`)).toEqual(classes);
    expect(new Set(found.classes.map((item) => item.mark)).size).toBe(classes.length);
    expect(new Set(found.classes.map((item) => item.colour)).size).toBe(classes.length);
  });

  it.each<GridColour>(["state", "version", "agent", "age"])("links each class of %s to those clusters", (colour) => {
    const { classes, classOf } = gridClasses(filterRows, { colour, nowMs: filterNowMs, heartbeatAgeMs });
    for (const [index, { filter }] of classes.entries()) {
      if (filter === undefined) continue;
      const matches = createMatcher(parseFilter(filter));
      const meant = filterRows.filter((row) => matches(row, filterNowMs));
      expect(meant).toEqual(filterRows.filter((row) => classOf.get(row) === index));
    }
  });

  it("has one class for all versions over the bound", () => {
    const rows = Array.from({ length: 20 }, (_, index) => filterRow(`c${index}`, { agentVersion: `1.${index}.0` }));
    const { classes } = gridClasses(rows, { colour: "agent", nowMs: 0, heartbeatAgeMs });
    expect(classes.map(({ title, count }) => `${title} ${count}`)).toEqual([
      ...["1.19.0 1", "1.18.0 1", "1.17.0 1", "1.16.0 1", "1.15.0 1", "1.14.0 1", "others 14"],
    ]);
  });
});

describe("groupRows", () => {
  it("groups by a label, those without it last", () => {
    expect(
      groupRows(filterRows, readKey("region")).map(({ title, filter, rows }) => [title, filter, rows.length]),
    ).toEqual([
      ["eu", "region=eu", 1],
      ["eu-north", "region=eu-north", 1],
      ["without region", "region!=*", 1],
    ]);
  });

  it("has one group without a key, and none without a cluster", () => {
    expect(groupRows(filterRows, undefined)).toHaveLength(1);
    expect(groupRows([], undefined)).toEqual([]);
  });

  it("puts what is over the bound into one group", () => {
    const rows = Array.from({ length: 300 }, (_, index) => filterRow(`c${index}`));
    const groups = groupRows(rows, readKey("name"));
    expect([groups.length, groups.at(-1)?.title, groups.at(-1)?.rows.length]).toEqual([121, "others", 180]);
  });
});
